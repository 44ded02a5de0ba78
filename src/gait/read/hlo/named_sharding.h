// Translates a sharding by names of mesh axes, which JAX 0.12 writes, into the older form by tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/read/hlo/wire.h"

namespace gait::hlo {

// "devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate": devices 0, 1, 2, ... reshaped to `mesh`, transposed
// by `order` (empty: as they are) and dealt to the tiles.
struct Tiling {
  std::vector<int64_t> tiles;  // of each dimension of the array; the last one more where `replicate_last`
  std::vector<int64_t> mesh;
  std::vector<int64_t> order;
  bool replicate_last = false;  // devices of one tile have the same
};

// The tiling of a NamedShardingProto. No tiles: every device has the whole array. nullopt for a sharding that
// tiles cannot express (parts of axes, meshes of devices in another order) or that makes no sense.
std::optional<Tiling> TilingOf(std::string_view named_sharding, WireLosses& losses);

}  // namespace gait::hlo

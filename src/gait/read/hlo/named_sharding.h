// A sharding by the names of a mesh's axes, as JAX 0.12 writes it, in the terms of the older one by tiles.
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

// A NamedShardingProto. No tiles: every device has all of the array. Nothing for what tiles cannot say (parts
// of axes, meshes of devices in another order) or makes no sense.
std::optional<Tiling> TilingOf(std::string_view named_sharding, WireLosses& losses);

}  // namespace gait::hlo

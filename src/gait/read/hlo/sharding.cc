#include "gait/read/hlo/sharding.h"

#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/read/hlo/named_sharding.h"

namespace gait::hlo {
namespace {

// xla_data.proto, OpSharding.
enum ShardingField : uint32_t {
  kType = 1,
  kTileShape = 2,
  kTileAssignment = 3,
  kTileDevices = 4,
  kTupleShardings = 5,
  kReplicateLast = 6,
  kShardingMetadata = 7,
  kLastTiles = 8,
  kIotaDimensions = 9,
  kIotaOrder = 10,
  kNamed = 14,
};
enum ShardingType : int64_t { kReplicated = 0, kMaximal = 1, kTuple = 2, kTiled = 3, kManual = 4 };

std::string OneSharding(std::string_view bytes, int depth, WireLosses& losses);

// An OpSharding as it stands.
struct Sharding {
  int64_t type = kReplicated;
  bool replicate_last = false;
  std::vector<int64_t> tiles{}, devices{}, last_tiles{}, iota{}, order{};
  std::vector<std::string> elements{};  // of a tuple
  std::string later{};                  // fields that came later than this reader

  void SetNamed(Tiling tiling) {
    if (!tiling.tiles.empty()) type = kTiled;
    tiles = std::move(tiling.tiles);
    iota = std::move(tiling.mesh);
    order = std::move(tiling.order);
    replicate_last = tiling.replicate_last;
  }

  void AddLater(const Fields& field) {
    if (field.is_bytes() && !field.Bytes().empty())
      later += fmt::format(" {}:{:x}", field.number(), std::hash<std::string_view>()(field.Bytes()));
  }

  std::string TilesText() const {
    std::string text = fmt::format("devices=[{}]", fmt::join(tiles, ","));
    if (!devices.empty()) text += fmt::format("{}", fmt::join(devices, ","));
    if (!iota.empty()) text += fmt::format("<=[{}]", fmt::join(iota, ","));
    if (order.size() > 1) text += fmt::format("T({})", fmt::join(order, ","));
    if (replicate_last) text += " last_tile_dim_replicate";
    if (!last_tiles.empty()) text += fmt::format(" last_tile_dims={{{}}}", fmt::join(last_tiles, ","));
    return text;
  }

  std::string Text() const {
    switch (type) {
      case kReplicated:
        return later;
      case kMaximal:
        return fmt::format("maximal device={}{}", fmt::join(devices, ","), later);
      case kTuple:
        return fmt::format("{{{}}}{}", fmt::join(elements, "},{"), later);
      case kManual:
        return "manual" + later;
      case kTiled:
        return TilesText() + later;
      default:
        return fmt::format("type {}{}", type, later);
    }
  }
};

void ReadField(Fields& field, int depth, Sharding& sharding, WireLosses& losses) {
  switch (field.number()) {
    case kType:
      sharding.type = field.Int();
      return;
    case kTileAssignment:
      return field.AppendInts(sharding.tiles);
    case kTileDevices:
      return field.AppendInts(sharding.devices);
    case kTupleShardings:
      // XLA nests no tuples in tuples here.
      if (depth == 0) sharding.elements.push_back(OneSharding(field.Bytes(), depth + 1, losses));
      return;
    case kReplicateLast:
      sharding.replicate_last = field.Int() != 0;
      return;
    case kLastTiles:
      return field.AppendInts(sharding.last_tiles);
    case kIotaDimensions:
      return field.AppendInts(sharding.iota);
    case kIotaOrder:
      return field.AppendInts(sharding.order);
    case kTileShape:
    case kShardingMetadata:
      return;
    case kNamed:
      if (auto tiling = TilingOf(field.Bytes(), losses)) return sharding.SetNamed(std::move(*tiling));
      return sharding.AddLater(field);
    default:
      return sharding.AddLater(field);
  }
}

std::string OneSharding(std::string_view bytes, int depth, WireLosses& losses) {
  Sharding sharding;
  Fields fields(bytes, losses);
  while (fields.Next()) ReadField(fields, depth, sharding, losses);
  return sharding.Text();
}

}  // namespace

std::string ShardingText(std::string_view sharding_proto, WireLosses& losses) {
  return OneSharding(sharding_proto, 0, losses);
}

std::vector<std::string> ShardingTexts(std::string_view sharding_proto, WireLosses& losses) {
  std::vector<std::string> texts;
  bool tuple = false;
  Fields fields(sharding_proto, losses);
  while (fields.Next()) {
    if (fields.number() == kType) tuple = fields.Int() == kTuple;
    if (fields.number() == kTupleShardings) texts.push_back(OneSharding(fields.Bytes(), 1, losses));
  }
  if (!tuple) return {OneSharding(sharding_proto, 0, losses)};
  return texts;
}

}  // namespace gait::hlo

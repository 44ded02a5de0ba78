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

std::string OneSharding(std::string_view bytes, int depth, WireLosses& losses) {
  int64_t type = kReplicated;
  bool replicate_last = false;
  std::vector<int64_t> tiles, devices, last_tiles, iota, order;
  std::vector<std::string> elements;
  std::string later;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    switch (fields.number()) {
      case kType:
        type = fields.Int();
        break;
      case kTileAssignment:
        fields.AppendInts(tiles);
        break;
      case kTileDevices:
        fields.AppendInts(devices);
        break;
      case kTupleShardings:
        // XLA nests no tuples in tuples here.
        if (depth == 0) elements.push_back(OneSharding(fields.Bytes(), depth + 1, losses));
        break;
      case kReplicateLast:
        replicate_last = fields.Int() != 0;
        break;
      case kLastTiles:
        fields.AppendInts(last_tiles);
        break;
      case kIotaDimensions:
        fields.AppendInts(iota);
        break;
      case kIotaOrder:
        fields.AppendInts(order);
        break;
      case kTileShape:
      case kShardingMetadata:
        break;
      case kNamed:
        if (auto tiling = TilingOf(fields.Bytes(), losses)) {
          if (!tiling->tiles.empty()) type = kTiled;
          tiles = std::move(tiling->tiles);
          iota = std::move(tiling->mesh);
          order = std::move(tiling->order);
          replicate_last = tiling->replicate_last;
          break;
        }
        [[fallthrough]];
      default:
        if (fields.is_bytes() && !fields.Bytes().empty())
          later += fmt::format(" {}:{:x}", fields.number(), std::hash<std::string_view>()(fields.Bytes()));
    }
  }
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
      break;
    default:
      return fmt::format("type {}{}", type, later);
  }
  std::string text = fmt::format("devices=[{}]", fmt::join(tiles, ","));
  if (!devices.empty()) text += fmt::format("{}", fmt::join(devices, ","));
  if (!iota.empty()) text += fmt::format("<=[{}]", fmt::join(iota, ","));
  if (order.size() > 1) text += fmt::format("T({})", fmt::join(order, ","));
  if (replicate_last) text += " last_tile_dim_replicate";
  if (!last_tiles.empty()) text += fmt::format(" last_tile_dims={{{}}}", fmt::join(last_tiles, ","));
  return text + later;
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

#include "gait/read/hlo/named_sharding.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

enum NamedField : uint32_t { kMesh = 2, kNamedDimension = 3, kReplicatedAxes = 4 };
enum MeshField : uint32_t { kMeshAxis = 1, kMeshDevices = 2 };
constexpr uint32_t kMeshAxisSize = 2;
constexpr uint32_t kAxisOfDimension = 1;
enum AxisReferenceField : uint32_t { kAxisIndex = 1, kPartOfAxis = 2 };

constexpr int64_t kMostMeshDevices = int64_t{1} << 30;

int64_t IntOf(std::string_view bytes, uint32_t number, WireLosses& losses) {
  int64_t value = 0;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == number) value = fields.Int();
  }
  return value;
}

// A NamedShardingProto as it stands.
struct NamedSharding {
  std::vector<int64_t> mesh{};                     // the size of each axis
  std::vector<std::vector<int64_t>> dimensions{};  // of the array: the axes of each
  bool plain = true;                               // nothing in it that tiles cannot say
};

void ReadMesh(std::string_view bytes, NamedSharding& named, WireLosses& losses) {
  Fields mesh(bytes, losses);
  while (mesh.Next()) {
    if (mesh.number() == kMeshAxis) named.mesh.push_back(IntOf(mesh.Bytes(), kMeshAxisSize, losses));
    if (mesh.number() == kMeshDevices) named.plain = false;
  }
}

int64_t ReadAxis(std::string_view bytes, NamedSharding& named, WireLosses& losses) {
  int64_t index = 0;
  Fields reference(bytes, losses);
  while (reference.Next()) {
    if (reference.number() == kAxisIndex) index = reference.Int();
    if (reference.number() == kPartOfAxis) named.plain = false;
  }
  return index;
}

void ReadDimension(std::string_view bytes, NamedSharding& named, WireLosses& losses) {
  std::vector<int64_t>& dimension = named.dimensions.emplace_back();
  Fields axes(bytes, losses);
  while (axes.Next()) {
    if (axes.number() == kAxisOfDimension && axes.is_bytes())
      dimension.push_back(ReadAxis(axes.Bytes(), named, losses));
  }
}

NamedSharding ReadNamedSharding(std::string_view bytes, WireLosses& losses) {
  NamedSharding named;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == kMesh) {
      ReadMesh(fields.Bytes(), named, losses);
    } else if (fields.number() == kNamedDimension) {
      ReadDimension(fields.Bytes(), named, losses);
    } else if (fields.number() != kReplicatedAxes && fields.is_bytes() && !fields.Bytes().empty()) {
      named.plain = false;
    }
  }
  return named;
}

// Nothing where it makes no sense.
std::optional<int64_t> DevicesOf(const std::vector<int64_t>& mesh) {
  int64_t devices = 1;
  for (const int64_t size : mesh) {
    if (size <= 0 || size > kMostMeshDevices / devices) return std::nullopt;
    devices *= size;
  }
  return devices;
}

// The dimensions of the array as tiles: first the axes that they name, then the others. Nothing where an axis
// is named twice, or does not exist.
std::optional<Tiling> TilesOfDimensions(const NamedSharding& named) {
  Tiling tiling{{}, named.mesh, {}};
  std::vector<bool> used(named.mesh.size(), false);
  for (const std::vector<int64_t>& axes : named.dimensions) {
    int64_t tiles = 1;
    for (const int64_t axis : axes) {
      const auto at = static_cast<size_t>(axis);
      if (axis < 0 || at >= used.size() || used[at]) return std::nullopt;
      used[at] = true;
      tiles *= tiling.mesh[at];
      tiling.order.push_back(axis);
    }
    tiling.tiles.push_back(tiles);
  }
  for (size_t axis = 0; axis < used.size(); ++axis) {
    if (!used[axis]) tiling.order.push_back(static_cast<int64_t>(axis));
  }
  return tiling;
}

}  // namespace

std::optional<Tiling> TilingOf(std::string_view named_sharding, WireLosses& losses) {
  const NamedSharding named = ReadNamedSharding(named_sharding, losses);
  if (!named.plain || named.mesh.size() > limits::kMaxShapeDimensions) return std::nullopt;
  const std::optional<int64_t> devices = DevicesOf(named.mesh);
  std::optional<Tiling> tiling = devices ? TilesOfDimensions(named) : std::nullopt;
  if (!tiling) return std::nullopt;
  int64_t tiles = 1;
  for (const int64_t of_dimension : tiling->tiles) tiles *= of_dimension;
  if (tiles == 1) return Tiling{};
  tiling->replicate_last = tiles < *devices;
  if (tiling->replicate_last) tiling->tiles.push_back(*devices / tiles);
  if (std::ranges::is_sorted(tiling->order)) {  // as they are: one row of devices
    tiling->mesh = {*devices};
    tiling->order.clear();
  }
  return tiling;
}

}  // namespace gait::hlo

#include "gait/read/hlo/named_sharding.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

enum NamedField : uint32_t { kMesh = 2, kNamedDimension = 3, kReplicatedAxes = 4 };
enum MeshField : uint32_t { kMeshAxis = 1, kMeshDevices = 2 };
constexpr uint32_t kMeshAxisSize = 2;
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

}  // namespace

std::optional<Tiling> TilingOf(std::string_view named_sharding, WireLosses& losses) {
  Tiling tiling;
  std::vector<std::vector<int64_t>> dimensions;  // the axes of each
  bool plain = true;
  Fields fields(named_sharding, losses);
  while (fields.Next()) {
    if (fields.number() == kMesh) {
      Fields mesh(fields.Bytes(), losses);
      while (mesh.Next()) {
        if (mesh.number() == kMeshAxis) tiling.mesh.push_back(IntOf(mesh.Bytes(), kMeshAxisSize, losses));
        if (mesh.number() == kMeshDevices) plain = false;
      }
    } else if (fields.number() == kNamedDimension) {
      dimensions.emplace_back();
      Fields axes(fields.Bytes(), losses);
      while (axes.Next()) {
        if (axes.number() != 1 || !axes.is_bytes()) continue;
        int64_t index = 0;
        Fields reference(axes.Bytes(), losses);
        while (reference.Next()) {
          if (reference.number() == kAxisIndex) index = reference.Int();
          if (reference.number() == kPartOfAxis) plain = false;
        }
        dimensions.back().push_back(index);
      }
    } else if (fields.number() != kReplicatedAxes && fields.is_bytes() && !fields.Bytes().empty()) {
      plain = false;
    }
  }
  if (!plain || tiling.mesh.size() > limits::kMaxShapeDimensions) return std::nullopt;

  int64_t devices = 1;
  for (const int64_t size : tiling.mesh) {
    if (size <= 0 || size > kMostMeshDevices / devices) return std::nullopt;
    devices *= size;
  }
  std::vector<bool> used(tiling.mesh.size(), false);
  int64_t named = 1;
  for (const std::vector<int64_t>& axes : dimensions) {
    int64_t tiles = 1;
    for (const int64_t axis : axes) {
      const auto at = static_cast<size_t>(axis);
      if (axis < 0 || at >= used.size() || used[at]) return std::nullopt;
      used[at] = true;
      tiles *= tiling.mesh[at];
      tiling.order.push_back(axis);
    }
    named *= tiles;
    tiling.tiles.push_back(tiles);
  }
  if (named == 1) return Tiling{};
  for (size_t axis = 0; axis < used.size(); ++axis) {
    if (!used[axis]) tiling.order.push_back(static_cast<int64_t>(axis));
  }
  tiling.replicate_last = named < devices;
  if (tiling.replicate_last) tiling.tiles.push_back(devices / named);
  if (std::ranges::is_sorted(tiling.order)) {  // as they are: one row of devices
    tiling.mesh = {devices};
    tiling.order.clear();
  }
  return tiling;
}

}  // namespace gait::hlo

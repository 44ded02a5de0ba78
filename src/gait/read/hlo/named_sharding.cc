#include "gait/read/hlo/named_sharding.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

enum NamedField : uint32_t { kMesh = 2, kDimension = 3 };
enum MeshField : uint32_t { kAxis = 1, kDeviceIds = 2 };
constexpr uint32_t kAxisSize = 2;
enum ReferenceField : uint32_t { kIndex = 1, kPartOfAxis = 2 };

constexpr int64_t kMostDevices = int64_t{1} << 30;

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
        if (mesh.number() == kAxis) tiling.mesh.push_back(IntOf(mesh.Bytes(), kAxisSize, losses));
        if (mesh.number() == kDeviceIds) plain = false;
      }
    } else if (fields.number() == kDimension) {
      dimensions.emplace_back();
      Fields axes(fields.Bytes(), losses);
      while (axes.Next()) {
        if (axes.number() != 1 || !axes.is_bytes()) continue;
        int64_t index = 0;
        Fields reference(axes.Bytes(), losses);
        while (reference.Next()) {
          if (reference.number() == kIndex) index = reference.Int();
          if (reference.number() == kPartOfAxis) plain = false;
        }
        dimensions.back().push_back(index);
      }
    }
  }
  if (!plain || tiling.mesh.size() > limits::kMaxShapeDimensions) return std::nullopt;

  int64_t devices = 1;
  for (const int64_t size : tiling.mesh) {
    if (size <= 0 || size > kMostDevices / devices) return std::nullopt;
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

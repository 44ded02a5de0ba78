#include "gait/read/hlo/replica_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "gait/base/limits.h"

namespace gait::hlo {
namespace {

constexpr std::string_view kTooMany = "replica groups with too many members";
constexpr std::string_view kSenseless = "replica groups whose dimensions do not fit";

// The product of positive numbers; nullopt for anything else.
std::optional<int64_t> PositiveProduct(std::span<const int64_t> factors) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (factor <= 0 || __builtin_mul_overflow(product, factor, &product)) return std::nullopt;
  }
  return product;
}

bool Take(GroupBudget& budget, int64_t ids, WireLosses& losses) {
  if (ids > budget.ids_left) {
    losses.Capped(kTooMany);
    return false;
  }
  budget.ids_left -= ids;
  return true;
}

bool IsPermutation(std::span<const int64_t> order) {
  std::vector<bool> seen(order.size());
  for (const int64_t i : order) {
    if (i < 0 || static_cast<size_t>(i) >= order.size() || seen[static_cast<size_t>(i)]) return false;
    seen[static_cast<size_t>(i)] = true;
  }
  return true;
}

// 0, 1, 2, ... reshaped to `dimensions`, transposed by `order`, read in row-major order.
std::vector<int64_t> TransposedIota(std::span<const int64_t> dimensions, std::span<const int64_t> order,
                                    int64_t total) {
  const size_t rank = dimensions.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dimensions[i];
  std::vector<int64_t> ids;
  ids.reserve(static_cast<size_t>(total));
  std::vector<int64_t> index(rank, 0);
  for (int64_t n = 0; n < total; ++n) {
    int64_t id = 0;
    for (size_t i = 0; i < rank; ++i) id += index[i] * strides[static_cast<size_t>(order[i])];
    ids.push_back(id);
    for (size_t i = rank; i-- > 0;) {
      if (++index[i] < dimensions[static_cast<size_t>(order[i])]) break;
      index[i] = 0;
    }
  }
  return ids;
}

// A whole axis of the mesh, or the part of it that remains when it is split into [before, size, after].
struct AxisPart {
  int64_t axis = 0;
  int64_t before = 1;
  int64_t size = 0;  // 0: the whole axis
  int64_t after = 1;
};

int64_t ReadAxisSize(std::string_view bytes, WireLosses& losses) {
  int64_t size = 0;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 2) size = fields.Int();
  }
  return size;
}

AxisPart ReadAxisPart(std::string_view bytes, WireLosses& losses) {
  AxisPart part;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) part.axis = fields.Int();
    if (fields.number() != 2) continue;
    Fields sub(fields.Bytes(), losses);
    while (sub.Next()) {
      if (sub.number() == 1) part.before = sub.Int();
      if (sub.number() == 2) part.size = sub.Int();
    }
  }
  return part;
}

// Fills in size and after of every part; false when a part does not fit its axis.
bool FitParts(std::span<const int64_t> axes, std::vector<AxisPart>& parts) {
  for (AxisPart& part : parts) {
    if (part.axis < 0 || static_cast<size_t>(part.axis) >= axes.size()) return false;
    const int64_t whole = axes[static_cast<size_t>(part.axis)];
    if (part.size == 0) part.size = whole;
    if (part.before <= 0 || part.size <= 0 || part.before > whole || part.size > whole / part.before)
      return false;
    if (whole % (part.before * part.size) != 0) return false;
    part.after = whole / (part.before * part.size);
  }
  return true;
}

}  // namespace

void AppendReplicaGroup(std::string_view bytes, ReplicaGroups& groups, GroupBudget& budget,
                        WireLosses& losses) {
  std::vector<int64_t> ids;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) fields.AppendInts(ids);
  }
  groups.group_size = std::max(groups.group_size, static_cast<int64_t>(ids.size()));
  if (Take(budget, static_cast<int64_t>(ids.size()), losses)) groups.groups.push_back(std::move(ids));
}

ReplicaGroups ReadDeviceList(std::string_view bytes, GroupBudget& budget, WireLosses& losses) {
  ReplicaGroups groups;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) AppendReplicaGroup(fields.Bytes(), groups, budget, losses);
    if (fields.number() == 2) groups = ReadIotaList(fields.Bytes(), budget, losses);
  }
  return groups;
}

ReplicaGroups ReadIotaList(std::string_view bytes, GroupBudget& budget, WireLosses& losses) {
  int64_t count = 0;
  ReplicaGroups groups;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> order;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 1) count = fields.Int();
    if (fields.number() == 2) groups.group_size = fields.Int();
    if (fields.number() == 3) fields.AppendInts(dimensions);
    if (fields.number() == 4) fields.AppendInts(order);
  }
  if (order.empty()) {
    order.resize(dimensions.size());
    std::iota(order.begin(), order.end(), 0);
  }
  const auto total = PositiveProduct(std::vector{count, groups.group_size});
  const auto reshaped = PositiveProduct(dimensions);
  if (!total || total != reshaped || dimensions.size() > limits::kMaxShapeDimensions ||
      order.size() != dimensions.size() || !IsPermutation(order)) {
    losses.Unresolved(kSenseless);
    groups.group_size = std::max<int64_t>(groups.group_size, 0);
    return groups;
  }
  if (!Take(budget, *total, losses)) return groups;
  const std::vector<int64_t> ids = TransposedIota(dimensions, order, *total);
  for (auto next = ids.begin(); next != ids.end(); next += groups.group_size) {
    groups.groups.emplace_back(next, next + groups.group_size);
  }
  return groups;
}

ReplicaGroups ReadMeshAxes(std::string_view bytes, GroupBudget& budget, WireLosses& losses) {
  std::vector<int64_t> axes;
  std::vector<int64_t> devices;
  std::vector<AxisPart> parts;
  Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() == 2) parts.push_back(ReadAxisPart(fields.Bytes(), losses));
    if (fields.number() != 1) continue;
    Fields mesh(fields.Bytes(), losses);
    while (mesh.Next()) {
      if (mesh.number() == 1) axes.push_back(ReadAxisSize(mesh.Bytes(), losses));
      if (mesh.number() == 2) mesh.AppendInts(devices);
    }
  }
  ReplicaGroups groups;
  const auto total = PositiveProduct(axes);
  if (!total || parts.size() > limits::kMaxShapeDimensions || !FitParts(axes, parts) ||
      (!devices.empty() && static_cast<int64_t>(devices.size()) != *total)) {
    losses.Unresolved(kSenseless);
    return groups;
  }
  std::vector<int64_t> sizes;
  for (const AxisPart& part : parts) sizes.push_back(part.size);
  groups.group_size = PositiveProduct(sizes).value_or(0);
  if (groups.group_size == 0 || groups.group_size > *total) {
    losses.Unresolved(kSenseless);
    groups.group_size = 0;
    return groups;
  }
  if (!Take(budget, *total, losses)) return groups;

  // A device's digits along the named parts give its place in the group; its index with those digits set to 0
  // says which group. Groups come in the order of that index, which is the order of the axes that are not
  // named.
  std::vector<int64_t> strides(axes.size(), 1);
  for (size_t i = axes.size(); i-- > 1;) strides[i - 1] = strides[i] * axes[i];
  std::map<int64_t, std::vector<std::pair<int64_t, int64_t>>> by_group;
  for (int64_t n = 0; n < *total; ++n) {
    int64_t group = n;
    int64_t place = 0;
    for (const AxisPart& part : parts) {
      const auto axis = static_cast<size_t>(part.axis);
      const int64_t coordinate = n / strides[axis] % axes[axis];
      const int64_t digit = coordinate / part.after % part.size;
      place = place * part.size + digit;
      group -= digit * part.after * strides[axis];
    }
    by_group[group].emplace_back(place, devices.empty() ? n : devices[static_cast<size_t>(n)]);
  }
  for (auto& [first, members] : by_group) {
    std::ranges::sort(members);
    auto& ids = groups.groups.emplace_back();
    for (const auto& [place, device] : members) ids.push_back(device);
  }
  return groups;
}

}  // namespace gait::hlo

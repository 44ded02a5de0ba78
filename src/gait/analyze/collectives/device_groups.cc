#include "gait/analyze/collectives/device_groups.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

// The sets of ids that pairs connect, each sorted; a circle of eight is one set.
std::vector<std::vector<int64_t>> Connected(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::map<int64_t, int64_t> parent;
  const auto root = [&](int64_t id) {
    parent.try_emplace(id, id);
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  for (const auto& [from, to] : pairs) {
    const int64_t a = root(from);
    const int64_t b = root(to);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::map<int64_t, std::vector<int64_t>> sets;
  for (const auto& entry : parent) sets[root(entry.first)].push_back(entry.first);
  std::vector<std::vector<int64_t>> result;
  for (auto& entry : sets) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace

GroupFinder::GroupFinder(const RunView& view) {
  for (const LoadedHost& host : view.run->hosts) {
    const auto selected =
        std::ranges::find_if(view.hosts, [&](const HostView& v) { return v.host == &host; });
    std::vector<Member> members;
    for (const Device& device : FindDevices(host.trace)) {
      Member member{host.trace.plane(device.plane).ordinal.value_or(-1), -1};
      for (size_t d = 0; selected != view.hosts.end() && d < selected->devices.size(); ++d) {
        if (selected->devices[d].plane == device.plane) member.device = static_cast<int32_t>(devices_ + d);
      }
      members.push_back(member);
    }
    if (selected != view.hosts.end()) devices_ += selected->devices.size();
    std::ranges::stable_sort(members, {}, &Member::ordinal);
    members_.insert(members_.end(), members.begin(), members.end());
  }
  std::vector<int64_t> ordinals;
  for (const Member& member : members_) ordinals.push_back(member.ordinal);
  std::ranges::sort(ordinals);
  distinct_ = std::ranges::adjacent_find(ordinals) == ordinals.end();
}

CollectiveGroups GroupFinder::Alone(std::string unknown_because) const {
  CollectiveGroups groups;
  groups.of.resize(devices_);
  std::iota(groups.of.begin(), groups.of.end(), 0);
  groups.unknown_because = std::move(unknown_because);
  return groups;
}

std::optional<std::vector<int32_t>> GroupFinder::LogicalDevices(const Program& program) const {
  const std::vector<int64_t>& ids = program.device_ids;
  if (ids.empty()) return std::nullopt;
  std::vector<int32_t> devices;
  if (distinct_) {
    std::map<int64_t, int32_t> by_ordinal;
    for (const Member& member : members_) by_ordinal[member.ordinal] = member.device;
    for (const int64_t id : ids) {
      const auto found = by_ordinal.find(id);
      if (found == by_ordinal.end()) return std::nullopt;
      devices.push_back(found->second);
    }
    return devices;
  }
  if (ids.size() != members_.size()) return std::nullopt;
  std::vector<int64_t> sorted = ids;
  std::ranges::sort(sorted);
  for (const int64_t id : ids) {
    const auto position = static_cast<size_t>(std::ranges::lower_bound(sorted, id) - sorted.begin());
    devices.push_back(members_[position].device);
  }
  return devices;
}

CollectiveGroups GroupFinder::FromLists(const Program& program,
                                        const std::vector<std::vector<int64_t>>& lists, int64_t size) const {
  CollectiveGroups groups;
  groups.size = size;
  groups.count = std::max<int64_t>(1, static_cast<int64_t>(lists.size()));
  groups.members_known = true;
  if (groups.count == 1) {  // whoever executes it is in it
    groups.of.assign(devices_, 0);
    return groups;
  }
  groups.of.resize(devices_);
  std::iota(groups.of.begin(), groups.of.end(), static_cast<uint32_t>(groups.count));
  const auto devices = LogicalDevices(program);
  if (!devices) {
    groups.members_known = false;
    groups.unknown_because =
        program.device_ids.empty()
            ? "the capture does not say which devices belong together"
            : fmt::format("the capture holds {} of the program's {} devices and does not say which",
                          members_.size(), program.device_ids.size());
    return groups;
  }
  for (size_t g = 0; g < lists.size(); ++g) {
    for (const int64_t id : lists[g]) {
      if (id < 0 || static_cast<size_t>(id) >= devices->size()) continue;
      const int32_t device = (*devices)[static_cast<size_t>(id)];
      if (device >= 0) groups.of[static_cast<size_t>(device)] = static_cast<uint32_t>(g);
    }
  }
  return groups;
}

CollectiveGroups GroupFinder::Find(const Program& program, const Instruction& instruction,
                                   CollectiveKind kind) const {
  if (instruction.source_target_pairs < program.source_target_pairs.size()) {
    const auto sets = Connected(program.source_target_pairs[instruction.source_target_pairs]);
    size_t size = 0;
    for (const std::vector<int64_t>& set : sets) size = std::max(size, set.size());
    return FromLists(program, sets, static_cast<int64_t>(size));
  }
  if (kind == CollectiveKind::kSend || kind == CollectiveKind::kRecv) {
    CollectiveGroups groups = Alone("the program does not say who sends to whom");
    groups.size = 2;
    return groups;
  }
  // No list, or an empty one: all devices of the program.
  int64_t all = static_cast<int64_t>(program.device_ids.size());
  if (all == 0) all = std::max<int64_t>(program.replica_count, 1) * program.partition_count;
  if (all <= 0) all = static_cast<int64_t>(devices_);
  static const std::vector<std::vector<int64_t>> kAll;
  if (instruction.replica_groups >= program.replica_groups.size()) return FromLists(program, kAll, all);
  const ReplicaGroups& lists = program.replica_groups[instruction.replica_groups];
  if (!lists.groups.empty()) return FromLists(program, lists.groups, lists.group_size);
  if (lists.group_size == 0 || lists.group_size == all) return FromLists(program, kAll, all);
  CollectiveGroups groups = Alone("the program gives the size of the groups and not their members");
  groups.size = lists.group_size;
  groups.count = all / lists.group_size;
  for (uint32_t& group : groups.of) group += static_cast<uint32_t>(groups.count);
  return groups;
}

}  // namespace gait::analyze

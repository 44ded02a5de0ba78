#include "gait/analyze/question/path/host_crossings.h"

#include <algorithm>
#include <tuple>

#include "gait/analyze/collectives/collectives.h"

namespace gait::analyze {

HostCrossings::HostCrossings(const RunView& view) {
  const CollectivesResult& result = AnalyzeCollectives(view);
  for (const HostShift& host : result.hosts) axis_.push_back(-host.shift);
  for (const HostView& host : view.hosts) entries_.emplace_back(host.devices.size());
  std::vector<const DeviceExecution*> order;
  for (const DeviceExecution& e : result.found.executions) {
    const bool members_known = result.found.operations[e.operation].members_known;
    if (members_known && result.hosts[result.found.devices[e.device].host].aligned) order.push_back(&e);
  }
  const auto meeting = [&](const DeviceExecution* e) {
    return std::tuple(e->operation, result.found.operations[e->operation].group_of[e->device], e->run,
                      e->number);
  };
  const auto device = [&](const DeviceExecution* e) { return result.found.devices[e->device]; };
  const auto on_axis = [&](const DeviceExecution* e) { return e->time.begin + axis_[device(e).host]; };
  std::ranges::stable_sort(order, {}, meeting);
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    const DeviceExecution* last = order[begin];
    for (; end < order.size() && meeting(order[end]) == meeting(order[begin]); ++end) {
      if (on_axis(order[end]) > on_axis(last)) last = order[end];
    }
    for (; begin < end; ++begin) {
      const RunDevice own = device(order[begin]);
      entries_[own.host][own.device].push_back(
          {order[begin]->time.begin, {device(last).host, device(last).device, last->time.begin}});
    }
  }
  for (auto& of_host : entries_) {
    for (std::vector<Entry>& of_device : of_host) std::ranges::stable_sort(of_device, {}, &Entry::begin);
  }
}

std::optional<HostCrossings::Last> HostCrossings::Find(size_t host, size_t device, Ps begin) const {
  const std::vector<Entry>& entries = entries_[host][device];
  const auto found = std::ranges::lower_bound(entries, begin, {}, &Entry::begin);
  return found != entries.end() && found->begin == begin ? std::optional(found->last) : std::nullopt;
}

}  // namespace gait::analyze

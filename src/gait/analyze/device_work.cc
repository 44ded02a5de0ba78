#include "gait/analyze/device_work.h"

#include "gait/analyze/self_time.h"

namespace gait::analyze {

namespace {

std::vector<WorkItem> WorkOf(const Trace& trace, const Device& device, const Launches& launches) {
  std::vector<size_t> offset;  // by track: where its events begin in `seen`
  size_t events = 0;
  for (const Track& track : trace.tracks()) {
    offset.push_back(events);
    if (track.info().kind == TrackKind::kThread) events += track.size();
  }
  std::vector<bool> seen(events);
  std::vector<WorkItem> items;
  const std::vector<EventRef> order = InOrder(trace, device);
  items.reserve(order.size());
  for (const EventRef event : order) {
    WorkItem item{event, {}, false};
    if (const auto call = launches.Call(device, event.track, event.index)) {
      item.call = *call;
      const size_t at = offset[call->track.value] + call->index.value;
      item.first = !seen[at];
      seen[at] = true;
    }
    items.push_back(item);
  }
  return items;
}

}  // namespace

HostWorkItems WorkInOrder(const Trace& trace, const std::vector<Device>& devices, const Launches& launches) {
  HostWorkItems work;
  for (const Device& device : devices) work.push_back(WorkOf(trace, device, launches));
  return work;
}

}  // namespace gait::analyze

#include "gait/analyze/device_work.h"

#include <algorithm>

namespace gait::analyze {
namespace {

std::vector<EventRef> EventsInOrder(const Trace& trace, const Device& device) {
  const auto earlier = [&](EventRef a, EventRef b) {
    const Track& on_a = trace.track(a.track);
    const Track& on_b = trace.track(b.track);
    const Ps begin_a = on_a.begin(a.index);
    const Ps begin_b = on_b.begin(b.index);
    return begin_a != begin_b ? begin_a < begin_b : on_a.duration(a.index) > on_b.duration(b.index);
  };
  std::vector<EventRef> order;
  std::vector<ptrdiff_t> bounds = {0};  // of parts that are in order each
  for (const TrackId id : device.work) {
    for (size_t i = 0; i < trace.track(id).size(); ++i) order.push_back({id, EventIndex(i)});
    bounds.push_back(static_cast<ptrdiff_t>(order.size()));
  }
  const auto at = [&](size_t bound) { return order.begin() + bounds[bound]; };
  while (bounds.size() > 2) {
    std::vector<ptrdiff_t> merged = {0};
    for (size_t i = 1; i < bounds.size(); i += 2) {
      const bool pair = i + 1 < bounds.size();
      if (pair) std::inplace_merge(at(i - 1), at(i), at(i + 1), earlier);
      merged.push_back(bounds[pair ? i + 1 : i]);
    }
    bounds = std::move(merged);
  }
  return order;
}

}  // namespace

std::vector<WorkItem> WorkInOrder(const Trace& trace, const Device& device, const Launches& launches,
                                  const WorkClasses& classes) {
  std::vector<size_t> offset;  // by track: where its events begin in `seen`
  size_t events = 0;
  for (const Track& track : trace.tracks()) {
    offset.push_back(events);
    if (track.info().kind == TrackKind::kThread) events += track.size();
  }
  std::vector<bool> seen(events);
  std::vector<WorkItem> items;
  const std::vector<EventRef> order = EventsInOrder(trace, device);
  items.reserve(order.size());
  for (const EventRef event : order) {
    WorkItem item{event, {}, false, classes(trace.track(event.track), event.index)};
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

}  // namespace gait::analyze

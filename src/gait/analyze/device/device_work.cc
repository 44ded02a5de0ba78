#include "gait/analyze/device/device_work.h"

#include <algorithm>
#include <optional>

#include "gait/base/huge_pages.h"

namespace gait::analyze {
namespace {

// Calls f(event, time) for the events of all work tracks of a device in order.
template <typename F>
void ForEachInOrder(const Trace& trace, const Device& device, F f) {
  struct Next {
    Interval time;
    EventRef event;
    size_t place;  // of the track among the device's: it decides between equals
  };
  const auto later = [](const Next& a, const Next& b) {
    if (a.time.begin != b.time.begin) return a.time.begin > b.time.begin;
    return a.time.end != b.time.end ? a.time.end < b.time.end : a.place > b.place;
  };
  std::vector<Next> heap;  // the next event of every other track, the earliest on top
  for (size_t place = 0; place < device.work.size(); ++place) {
    const TrackId id = device.work[place];
    const Track& track = trace.track(id);
    if (track.size() > 0) heap.push_back({track.interval(EventIndex(0)), {id, EventIndex(0)}, place});
  }
  std::ranges::make_heap(heap, later);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, later);
    Next next = heap.back();
    heap.pop_back();
    // A track goes on as long as it is the earliest.
    const Track& track = trace.track(next.event.track);
    do {
      f(next.event, next.time);
      next.event.index = EventIndex(next.event.index.value + 1);
      if (next.event.index.value == track.size()) break;
      next.time = track.interval(next.event.index);
    } while (heap.empty() || later(heap.front(), next));
    if (next.event.index.value == track.size()) continue;
    heap.push_back(next);
    std::ranges::push_heap(heap, later);
  }
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
  Launches::Id last_id;
  std::optional<EventRef> last_call;
  size_t count = 0;
  for (const TrackId id : device.work) count += trace.track(id).size();
  ReserveHuge(items, count);
  ForEachInOrder(trace, device, [&](EventRef event, Interval time) {
    const Track& track = trace.track(event.track);
    WorkItem& item = items.emplace_back();
    item.event = event;
    item.time = time;
    item.work = classes(track, event.index);
    // Kernels of a graph follow each other: they have one call.
    const Launches::Id id = launches.IdOf(track, event.index);
    if (!id.known() || id != last_id) {
      last_id = id;
      last_call = launches.Call(device, event.track, event.index);
      if (!last_call) return;
      const size_t at = offset[last_call->track.value] + last_call->index.value;
      item.first = !seen[at];
      seen[at] = true;
    }
    if (last_call) item.call = *last_call;
  });
  return items;
}

}  // namespace gait::analyze

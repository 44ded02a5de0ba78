// A host thread from begin to end: the event that ran innermost at each moment.
//
//   owner(t) = of the thread's events that run at t, the event that began last (of events that began
//   together, the shortest) self(e) = length of { t : owner(t) = e }
//
// Identity: the self times of a thread sum to the time that its events cover.
#pragma once

#include <algorithm>
#include <vector>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/host/projections.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct OwnedSlice {
  Interval time;
  EventIndex event;
  HostPart part = HostPart::kNone;  // of the innermost event around it, itself included, that has one
};

// Calls begins(event, time) for each event and owned(slice) for each slice, in order of time; an event comes
// before its slices. The slices together are the time that the thread's events cover. Linear in the thread's
// events.
template <typename Begins, typename Owned>
void SweepThread(const Trace& trace, TrackId thread, const HostActivity& activity, Begins begins,
                 Owned owned) {
  struct Running {
    EventIndex event;
    Ps end;
    HostPart part;
  };
  const Track& track = trace.track(thread);
  std::vector<Running> running;  // the last to begin on top; what has ended goes when it comes to the top
  Ps at;
  const size_t events = track.size();
  for (size_t i = 0; i <= events; ++i) {
    const EventIndex event(i);
    const bool last = i == events;
    const Interval time = last ? Interval{kMaxTime, kMaxTime} : activity.time(track, {thread, event});
    while (!running.empty() && at < time.begin) {
      const Running owner = running.back();
      if (owner.end <= at) {
        running.pop_back();
        continue;
      }
      const Ps stop = std::min(owner.end, time.begin);
      owned(OwnedSlice{{at, stop}, owner.event, owner.part});
      at = stop;
    }
    if (last) break;
    at = time.begin;
    begins(event, time);
    while (!running.empty() && running.back().end <= time.begin) running.pop_back();
    if (time.empty()) continue;
    const HostPart around = running.empty() ? HostPart::kNone : running.back().part;
    const HostPart part = PartWithin(around, ProjectionOf(activity.own_work({thread, event})).part);
    running.push_back({event, time.end, part});
  }
}

}  // namespace gait::analyze

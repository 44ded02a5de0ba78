// A host thread from begin to end: what ran at each moment.
//
//   owner(t) = of the thread's events that run at t, the one that began last (of those that began together,
//              the shortest)
//   self(e)  = length of { t : owner(t) = e }
//
// Identity: the self times of a thread sum to the time that its events cover.
#pragma once

#include <algorithm>
#include <vector>

#include "gait/analyze/host/host_part.h"
#include "gait/analyze/host_activity.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct OwnedSlice {
  Interval time;
  EventIndex event;
  HostPart part = HostPart::kNone;  // of the innermost event around it, itself included, that has one
};

// Calls f(slice) in order of time; together they are the time that the thread's events cover. Linear in its
// events.
template <typename F>
void ForEachOwnedSlice(const Trace& trace, TrackId thread, const HostActivity& activity, F f) {
  struct Running {
    EventIndex event;
    Ps end;
    HostPart part;
  };
  const Track& track = trace.track(thread);
  std::vector<Running> running;  // the last to begin on top; what has ended goes when it comes to the top
  Ps at;
  const auto advance = [&](Ps until) {
    while (!running.empty() && at < until) {
      const Running& owner = running.back();
      if (owner.end <= at) {
        running.pop_back();
        continue;
      }
      const Ps stop = std::min(owner.end, until);
      f(OwnedSlice{{at, stop}, owner.event, owner.part});
      at = stop;
    }
    at = until;
  };
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    const Interval time = activity.time(track, {thread, event});
    advance(time.begin);
    while (!running.empty() && running.back().end <= time.begin) running.pop_back();
    if (time.empty()) continue;
    const HostPart around = running.empty() ? HostPart::kNone : running.back().part;
    const HostPart part = PartWithin(around, PartOf(activity.own_work({thread, event})));
    running.push_back({event, time.end, part});
  }
  advance(kMaxTime);
}

}  // namespace gait::analyze

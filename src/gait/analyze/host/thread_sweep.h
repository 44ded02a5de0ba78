// A host thread from begin to end: what ran at each moment.
//
//   owner(t) = of the thread's events that run at t, the one that began last (of those that began together,
//              the shortest)
//   self(e)  = length of { t : owner(t) = e }
//
// Identity: the self times of a thread sum to the time that its events cover.
#pragma once

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

// In order of time; together the time that the thread's events cover. Linear in its events.
std::vector<OwnedSlice> Sweep(const Trace& trace, TrackId thread, const HostActivity& activity);

}  // namespace gait::analyze

// Idle time of loops that wait for results: what a host that runs ahead would hide, and what is its own work.
#pragma once

#include <functional>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

// Calls f(thread, event) for the calls on the thread of the program that wait for a result, the outermost of
// each, inside the time that the numbers cover.
void ForEachWait(const HostView& host, const std::function<void(TrackId, EventIndex)>& f);

// Gaps whose reason is that the host waits (gap_reason.h). A host that runs ahead still does its own work in
// every step: no more can be gained than it waited. What a device idled beyond that is its host's own work.
// Time in which the host was seen waiting is waiting; the rest of each gap is split in the same proportion,
// and the two parts do not overlap.
struct WaitingClaims {
  Claims waiting;
  Claims own_work;
};
WaitingClaims ClaimHostWaits(const Patient& patient);

}  // namespace gait::analyze

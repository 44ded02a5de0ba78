// Idle time of loops that wait for results, in two parts: time that a host that runs ahead would hide, and
// the host's own work.
#pragma once

#include <functional>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

// Calls f(thread, event) for each outermost call on the program's thread that waits for a result, inside the
// time that the numbers cover.
void ForEachWait(const HostView& host, const std::function<void(TrackId, EventIndex)>& f);

// Gaps whose reason is that the host waits (gap_reason.h). A host that runs ahead still does its own work in
// every step: a fix gains at most the time that the host waited. Idle time beyond that is the host's own
// work. The part of a gap in which the host was seen waiting is waiting; the rest of each gap is divided in
// the same proportion. The two parts do not overlap.
struct WaitingClaims {
  Claims waiting;
  Claims own_work;
};
WaitingClaims ClaimHostWaits(const Patient& patient);

}  // namespace gait::analyze

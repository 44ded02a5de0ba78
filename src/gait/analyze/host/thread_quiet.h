// Whether a host thread waited, where no event says so: on a GPU block_until_ready leaves none.
#pragma once

#include <algorithm>

#include "gait/analyze/device/launches.h"
#include "gait/base/intervals.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Nothing begins or ends on the thread meanwhile.
struct Quiet {
  Interval time{-kMaxTime, kMaxTime};
  EventIndex in;  // what runs innermost; invalid: nothing does
};

// The one around a time. `end` tells where an event of the thread ends. O(log events + depth).
template <typename End>
Quiet QuietAt(const Track& thread, Ps at, End end) {
  Quiet still;
  const EventIndex next = thread.LowerBound(at);
  if (next.value < thread.size()) still.time.end = thread.begin(next);
  if (next.value == 0) return still;
  // The last event, what ended inside those around it, and these themselves.
  for (EventIndex e(next.value - 1); e.valid(); e = thread.parent(e)) {
    const bool runs = end(e) > at;
    still.time.begin = std::max(still.time.begin, runs ? thread.begin(e) : end(e));
    if (!runs) continue;
    still.time.end = std::min(still.time.end, end(e));
    if (!still.in.valid()) still.in = e;
  }
  return still;
}

// Nothing began or ended on the thread from `still` until `edge`: it stood still for kMostLaunchDelay or
// longer until work was done, and went on within that time of it, or a tenth of the standstill, or a quarter
// up to 500 us.
inline bool WokeFor(Ps finish, Ps still, Ps edge) {
  // A thread that is woken is not back in the program at once: 0.19 and 0.26 ms were seen on an H200's
  // host. The bounds were chosen on a few captures from there.
  constexpr Ps kWaking = Microseconds(500);
  const Ps stood = finish - still;
  const Ps soon = std::max({kMostLaunchDelay, stood / 10, std::min(kWaking, stood / 4)});
  return stood >= kMostLaunchDelay && edge - finish <= soon;
}

}  // namespace gait::analyze

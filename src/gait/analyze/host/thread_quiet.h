// Whether a host thread waited, where no event records the wait: block_until_ready leaves none on a GPU.
#pragma once

#include <algorithm>

#include "gait/analyze/device/launches.h"
#include "gait/base/intervals.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// A stretch of time in which nothing begins or ends on a thread.
struct Quiet {
  Interval time{-kMaxTime, kMaxTime};
  EventIndex in;  // what runs innermost; invalid: nothing does
};

// The quiet stretch around a time. `end(event)` is the end of an event of the thread. O(log events + depth).
template <typename End>
Quiet QuietAt(const Track& thread, Ps at, End end) {
  Quiet still;
  const EventIndex next = thread.LowerBound(at);
  if (next.value < thread.size()) still.time.end = thread.begin(next);
  if (next.value == 0) return still;
  // The last event that had begun, and the events around it.
  for (EventIndex e(next.value - 1); e.valid(); e = thread.around(e)) {
    const bool runs = end(e) > at;
    still.time.begin = std::max(still.time.begin, runs ? thread.begin(e) : end(e));
    if (!runs) continue;
    still.time.end = std::min(still.time.end, end(e));
    if (!still.in.valid()) still.in = e;
  }
  return still;
}

// Whether a thread that was quiet from `still` to `edge` waited for the work that was done at `finish`. It
// did if it stood still for kMostLaunchDelay or longer before `finish`, and went on soon after: within
// kMostLaunchDelay, a tenth of the standstill, or a quarter of it up to 500 us.
inline bool WokeFor(Ps finish, Ps still, Ps edge) {
  // A thread needs time to wake up: 0.19 and 0.26 ms were seen on an H200's host. The bounds were chosen on a
  // few captures from there.
  constexpr Ps kWaking = Microseconds(500);
  const Ps stood = finish - still;
  const Ps soon = std::max({kMostLaunchDelay, stood / 10, std::min(kWaking, stood / 4)});
  return stood >= kMostLaunchDelay && edge - finish <= soon;
}

}  // namespace gait::analyze

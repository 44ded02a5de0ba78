// Input that the loop waited for while another thread made it, where no event says so: `queue.get()` leaves
// none without the Python tracer.
//
// The Python thread stood still (standstill.h), in no event that says what it did and while no device worked,
// until an event of input on another thread was over, the first since it stood still, and went on then:
// within 100 us or a tenth of the standstill, 1 ms at most. Its time from the begin of that event or of the
// standstill on is awaited. Code of the loop's own may end with one by chance: nothing is awaited where that
// is not so of more than half of the standstills that one ended in.
#pragma once

#include <algorithm>
#include <vector>

#include "gait/analyze/host_activity.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct AwaitedInput {
  Interval time;
  EventRef by;  // the event of the other thread: it ends with the time
};

// In order of time, without overlap. Made once and kept with the view. O(events log events).
const std::vector<AwaitedInput>& AwaitedInputOf(const HostView& view);

// Calls f(part, awaited) for consecutive parts of the interval; null: not awaited.
template <typename F>
void ForEachAwaited(const std::vector<AwaitedInput>& all, Interval interval, F f) {
  const auto end_of = [](const AwaitedInput& awaited) { return awaited.time.end; };
  Ps at = interval.begin;
  const auto give = [&](Ps until, const AwaitedInput* awaited) {
    if (at < until) f(Interval{at, until}, awaited);
    at = std::max(at, until);
  };
  for (auto next = std::ranges::upper_bound(all, at, {}, end_of);
       next != all.end() && next->time.begin < interval.end; ++next) {
    give(next->time.begin, nullptr);
    give(std::min(next->time.end, interval.end), &*next);
  }
  give(interval.end, nullptr);
}

}  // namespace gait::analyze

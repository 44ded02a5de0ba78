// What the loop waited for where no event says so: `queue.get()` leaves none without the Python tracer, and
// block_until_ready none on a GPU.
//
// Input that another thread makes. The Python thread stood still (thread_quiet.h), in no event that says what
// it did and while no device worked, until an event of input on another thread was over, with what that
// thread did right after it, within 1 ms or a tenth of its time, to bring it to the device, and to wait for
// that, and went on then: within 100 us or a tenth of the standstill, 1 ms at most. Its time from the begin
// of the first such event that ended meanwhile, or of the standstill, on is awaited. Code of the loop's own
// may end with one by chance: nothing is awaited where that is not so of more than half of the standstills
// that input ended in, four fifths where more than one mostly did, and of twice as many as would be so if
// they ended at any time.
//
// Results of several devices. It stood still so until the last of them was done, while one at least worked
// for half of the time or more: a device that was done before waited for the host, and that for the others.
#pragma once

#include <algorithm>
#include <vector>

#include "gait/analyze/view/run_view.h"
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

// Results that the Python thread waited for; none where the host has one device, which is busy then. Made
// once and kept with the view. O(events log events).
struct AwaitedResults {
  IntervalSet times;
};
const AwaitedResults& AwaitedResultsOf(const HostView& view);

}  // namespace gait::analyze

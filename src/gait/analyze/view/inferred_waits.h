// What the loop waited for, where no event records the wait: `queue.get()` leaves none without the Python
// tracer, and block_until_ready leaves none on a GPU.
//
// Input of another thread. Such a thread has an event of input. The event is taken to last longer where the
// thread then brings the input to the device and waits for that, within 1 ms or a tenth of the event's time.
//   standstill   the Python thread stands still (thread_quiet.h) for 100 us or more until the event is over,
//                in no event that says what the thread does, and no device works at the end of the event
//   awaited      the Python thread goes on within 100 us of the event, or within a quarter of the standstill
//                and 8 ms. Awaited is the time from the begin of the standstill, or of the first event that
//                ended in the standstill if that is later, to the end of the last such event.
//   chance       the loop's own code may end beside an event by chance. So nothing at all is awaited unless
//                all standstills together end so soon after events as in one of a hundred captures in which
//                nobody waits.
//
// Results of several devices. The Python thread stands still until all devices are done, and at least one of
// them works for half of that time. A device that is done early then waits for the host, and the host waits
// for the other devices.
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

// When the Python thread waited for results of several devices. Empty where the host has one device: the
// device is busy while the host waits for it. Made once and kept with the view. O(events log events).
struct AwaitedResults {
  IntervalSet times;
};
const AwaitedResults& AwaitedResultsOf(const HostView& view);

}  // namespace gait::analyze

// What the host threads were doing: the kind of each event of a host thread, and the work that the event
// stands for, with the events around it. Every analysis asks here.
//
//   kind   step, annotation, Python frame, call of the runtime, operation, the profiler's own (host_names.h).
//          The name decides. An event is also a call of the runtime if it has an argument that only the
//          runtime writes; if its name is the name of an operation or a kernel of the device; if it is on a
//          thread of the runtime's pools, or on a thread that makes calls of the runtime, runs no Python and
//          has another name than the Python thread; or if it runs directly inside a call of the runtime.
//   own    the work that the event itself stands for. Inside a call of the runtime only the runtime's own
//          names count: other names are names of its parts, of kernels, of passes, or of functions that are
//          traced.
//   work   the strongest work of the event and of all events around it. So a sleep inside `data_loading` is
//          input, and whatever a compilation does is compile.
//   time   when the event ran. The runtime may write a wait as two short events, one at its begin and one at
//          its end, joined by a flow (CommonPjRtBuffer::Await of JAX on CPUs). Such a wait lasts from the
//          begin of the first event to the end of the second: nothing else happens on the thread meanwhile.
//
// O(names + host events) to make; O(1) per event after that; thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gait/analyze/vocabulary/host_names.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

class HostActivity {
 public:
  explicit HostActivity(const Trace& trace);

  // The kind of an event of a host thread.
  HostKind kind(EventRef event) const { return At(event).kind; }
  HostWork own_work(EventRef event) const { return At(event).own; }
  HostWork work(EventRef event) const { return At(event).work; }
  // `thread` is the track of the event.
  Interval time(const Track& thread, EventRef event) const {
    return {thread.begin(event.index), end(thread, event)};
  }
  Ps end(const Track& thread, EventRef event) const {
    return thread.end(At(event).begins_wait ? EventIndex(event.index.value + 1) : event.index);
  }
  // Whether the event ends a wait that an earlier event began: the time of the earlier event holds this one.
  bool ends_wait(EventRef event) const {
    return event.index.value > 0 && At({event.track, EventIndex(event.index.value - 1)}).begins_wait;
  }
  // Whether the event does not tell if the host worked or waited. Also true for an invalid event: nothing is
  // recorded there.
  bool SaysNothing(const Trace& trace, EventRef event) const;
  // Whether the event is part of a call that launches device work.
  bool launches(EventRef event) const { return At(event).launches; }
  // The thread that runs the user's Python code: the one with the step annotations, else with the most calls
  // of jitted functions. Invalid where there is none.
  TrackId python_thread() const { return python_thread_; }
  bool runs_python(TrackId thread) const { return runs_python_[thread.value]; }

 private:
  class ThreadReader;
  struct Event {
    HostKind kind : 4;
    HostWork own : 4;
    HostWork work : 4;
    bool inside_runtime : 1;  // it is a call of the runtime or runs in one, Python frames between them or not
    bool launches : 1;
    bool begins_wait : 1;  // the next event of the thread is where the wait is over
  };
  const Event& At(EventRef event) const { return events_[event.track.value][event.index.value]; }

  std::vector<std::vector<Event>> events_;  // by track; empty for tracks that are no host threads
  std::vector<bool> runs_python_;           // by track
  TrackId python_thread_;
};

// Calls f(part, innermost) for consecutive parts of the interval. `innermost` is the innermost event of the
// thread in that part, invalid where no event ran. O(events inside + depth).
template <typename F>
void ForEachHostPart(const Trace& trace, TrackId id, const HostActivity& activity, Interval interval, F f) {
  const Track& thread = trace.track(id);
  Ps at = interval.begin;
  const EventIndex first = thread.LowerBound(interval.begin);
  EventIndex inner;
  if (first.value > 0) inner = EventIndex(first.value - 1);
  const auto until = [&](Ps stop) {
    while (at < stop) {
      while (inner.valid() && activity.end(thread, {id, inner}) <= at) inner = thread.around(inner);
      const Ps end = inner.valid() ? std::min(stop, activity.end(thread, {id, inner})) : stop;
      f(Interval{at, end}, inner);
      at = end;
    }
  };
  for (size_t i = first.value; i < thread.size(); ++i) {
    const EventIndex event(i);
    if (thread.begin(event) >= interval.end) break;
    until(thread.begin(event));
    inner = event;
  }
  until(interval.end);
}

}  // namespace gait::analyze

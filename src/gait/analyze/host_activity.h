// What the host threads were doing: for each event of a host thread what kind of event it is and, with the
// events around it, what work it stands for.
//
//   kind   a Python frame (the Python tracer's names begin with $), a call of the runtime, or an annotation
//   of
//          the user's. What runs inside a call of the runtime is the runtime's. Annotations have no mark of
//          their own: on a thread that runs Python they are what is neither of the two others.
//   work   of the event and of all around it the strongest: compile, peer, input, staging, sync, allocator,
//          dispatch. So a sleep inside `data_loading` is input, and whatever a compilation does is compile.
//
// Names decide, word by word (DeviceToHost is three words), each name once. O(names + host events) to make;
// O(1) per event after that; thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

struct HostView;

enum class HostWork : uint8_t {
  kCompile,    // tracing, lowering, compiling, autotuning
  kPeer,       // waits for other devices or processes
  kInput,      // the input pipeline: loading, preparing and fetching data
  kStaging,    // brings data of the host to the device: device_put, and the copy into a staging buffer
  kSync,       // waits for a result of the device
  kAllocator,  // memory of the device
  kDispatch,   // the runtime's other work, on the way to a launch
  kNone,       // the name says nothing: Python code, an annotation
};
enum class HostKind : uint8_t { kAnnotation, kPython, kRuntime };

HostWork WorkOfName(std::string_view name);  // of the name alone
HostKind KindOfName(std::string_view name);  // kAnnotation: neither of the others

class HostActivity {
 public:
  explicit HostActivity(const Trace& trace);

  // Of an event of a host thread.
  HostWork work(EventRef event) const {
    return static_cast<HostWork>(events_[event.track.value][event.index.value] & kWork);
  }
  HostKind kind(EventRef event) const {
    return static_cast<HostKind>((events_[event.track.value][event.index.value] >> kKindShift) & 3);
  }
  // Part of a call that launches work of a device.
  bool launches(EventRef event) const {
    return (events_[event.track.value][event.index.value] & kLaunches) != 0;
  }
  // The thread that runs the user's Python code: the one with the step annotations, else with the most calls
  // of jitted functions. Invalid where there is none.
  TrackId python_thread() const { return python_thread_; }
  bool runs_python(TrackId thread) const { return runs_python_[thread.value]; }

 private:
  static constexpr unsigned kWork = 0xf;
  static constexpr unsigned kKindShift = 4;
  static constexpr unsigned kInRuntime = 0x40;
  static constexpr unsigned kLaunches = 0x80;

  std::vector<std::vector<uint8_t>> events_;  // by track; empty for tracks that are no host threads
  std::vector<bool> runs_python_;             // by track
  TrackId python_thread_;
};

// Of the view's host; made once and kept with the view.
const HostActivity& ActivityOf(const HostView& view);

// Calls f(part, innermost) for consecutive parts of the interval: what ran innermost on the thread then; an
// invalid index where nothing did. O(events inside + depth).
template <typename F>
void ForEachHostPart(const Track& thread, Interval interval, F f) {
  Ps at = interval.begin;
  const EventIndex first = thread.LowerBound(interval.begin);
  EventIndex inner;
  if (first.value > 0) inner = EventIndex(first.value - 1);
  const auto until = [&](Ps stop) {
    while (at < stop) {
      while (inner.valid() && thread.end(inner) <= at) inner = thread.parent(inner);
      const Ps end = inner.valid() ? std::min(stop, thread.end(inner)) : stop;
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

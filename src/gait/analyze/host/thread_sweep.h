// A host thread from begin to end: what ran at each moment.
//
//   owner(t) = of the thread's events that run at t, the one that began last (of those that began together,
//              the shortest)
//   self(e)  = length of { t : owner(t) = e }
//
// Identity: the self times of a thread sum to the time that its events cover.
#pragma once

#include <functional>
#include <vector>

#include "gait/analyze/host/activity.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Decides what events of one trace's threads are. O(argument sets) to make, O(1) per event.
class Activities {
 public:
  explicit Activities(const Trace& trace);

  // `inside_runtime`: the event that it runs in is a runtime call.
  ActivityKind KindOf(const Track& track, EventIndex event, bool runtime_thread, bool inside_runtime);
  HostPart PartOf(ActivityKind kind, StringId name);

 private:
  enum class ByName : uint8_t { kUnseen, kPython, kProfiler, kRuntime, kOpen };
  ByName LookAt(StringId name) const;

  const Trace& trace_;
  std::vector<bool> step_;          // by argument set
  std::vector<bool> runtime_args_;  // by argument set
  std::vector<bool> operation_;     // by argument set: names an operation and its device
  std::vector<bool> on_device_;     // by name: some device event is called so
  std::vector<ByName> by_name_;
  std::vector<HostPart> parts_[kActivityKinds];  // by kind and name
  std::vector<bool> parts_known_[kActivityKinds];
};

struct OwnedSlice {
  Interval time;
  EventIndex event;
  HostPart part = HostPart::kNone;  // of the innermost event around it, itself included, that has one
};

struct ThreadSweep {
  std::vector<ActivityKind> kinds;  // by event
  std::vector<OwnedSlice> slices;   // in order of time; together the time that events cover
};

ThreadSweep Sweep(const Trace& trace, TrackId thread, Activities& activities);

}  // namespace gait::analyze

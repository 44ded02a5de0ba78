// Self time: every instant of a device's busy time belongs to exactly one event.
//
//   owner(t) = of the events that run at t: compute before communication before copies before unknown before
//              control flow (a loop around its body), among equals the one that began last (of those that
//              began together, the shortest)
//   self(e)  = length of { t : owner(t) = e }
//
// Identity: the self times of a device sum to its busy time; those of a class sum to the class's part of the
// time partition (partition.h), control flow counted with compute. Of events that contain each other the
// inner one owns the time; of kernels that overlap on one stream, the later one.
#pragma once

#include <functional>
#include <vector>

#include "gait/analyze/devices.h"
#include "gait/analyze/work_class.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// The events of a device over all its work tracks in order of begin, at equal begin the longer first.
std::vector<EventRef> InOrder(const Trace& trace, const Device& device);

struct Slice {
  Interval time;
  EventRef event;
};

// The busy time of a device cut at every change of owner, in order of time. O(events log overlap).
std::vector<Slice> SelfSlices(const Trace& trace, const Device& device, const WorkClasses& classes);
// The same for events that are in order already (InOrder).
std::vector<Slice> SelfSlices(const Trace& trace, const std::vector<EventRef>& order,
                              const WorkClasses& classes);

// Calls f(part, slice) for the parts of slices inside the windows. Both are in order of time.
template <typename F>
void ForEachInside(const std::vector<Slice>& slices, const IntervalSet& windows, F f) {
  size_t w = 0;
  for (const Slice& slice : slices) {
    while (w < windows.size() && windows[w].end <= slice.time.begin) ++w;
    for (size_t i = w; i < windows.size() && windows[i].begin < slice.time.end; ++i) {
      f(Interval{std::max(slice.time.begin, windows[i].begin), std::min(slice.time.end, windows[i].end)},
        slice);
    }
  }
}

}  // namespace gait::analyze

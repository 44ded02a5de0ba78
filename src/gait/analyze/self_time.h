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

#include <algorithm>
#include <array>
#include <vector>

#include "gait/analyze/device_work.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// Calls f(time, item) for the busy time of a device cut at every change of owner, in order of time. Linear in
// the work.
template <typename F>
void ForEachSelfSlice(const std::vector<WorkItem>& work, F f) {
  struct Running {
    Ps end;
    const WorkItem* item;
  };
  // By class, the one that began last on top. What has ended goes when it comes to the top.
  std::array<std::vector<Running>, kWorkClasses> running;
  const auto owner = [&](Ps at) -> const Running* {
    for (std::vector<Running>& of_class : running) {
      while (!of_class.empty() && of_class.back().end <= at) of_class.pop_back();
      if (!of_class.empty()) return &of_class.back();
    }
    return nullptr;
  };
  Ps at = work.empty() ? Ps() : work.front().time.begin;
  Interval time;  // of the slice that may go on
  const WorkItem* item = nullptr;
  for (size_t i = 0; i <= work.size(); ++i) {
    const Ps until = i < work.size() ? work[i].time.begin : kMaxTime;
    while (at < until) {
      const Running* now = owner(at);
      if (now == nullptr) break;
      const Ps stop = std::min(now->end, until);
      if (now->item == item && time.end == at) {
        time.end = stop;
      } else {
        if (item != nullptr) f(time, *item);
        time = {at, stop};
        item = now->item;
      }
      at = stop;
    }
    at = until;
    if (i == work.size() || work[i].time.empty()) continue;
    running[static_cast<size_t>(work[i].work)].push_back({work[i].time.end, &work[i]});
  }
  if (item != nullptr) f(time, *item);
}

// Calls f(part) for the parts of an interval inside the windows; `first`, 0 at first, moves on with intervals
// in order of begin.
template <typename F>
void ForEachInside(Interval time, const IntervalSet& windows, size_t& first, F f) {
  while (first < windows.size() && windows[first].end <= time.begin) ++first;
  for (size_t w = first; w < windows.size() && windows[w].begin < time.end; ++w) {
    f(Interval{std::max(time.begin, windows[w].begin), std::min(time.end, windows[w].end)});
  }
}

}  // namespace gait::analyze

// Self time: every instant of a device's busy time belongs to exactly one event.
//
//   = of the events that run at t: compute before communication before copies before unknown before control
//   flow (a loop around its body); of one class the event that began last; of events that began together the
//   shortest self(e) = length of { t : owner(t) = e }
//
// Identity: the self times of a device sum to its busy time; those of a class sum to the class's part of the
// time partition (partition.h), control flow counted with compute. Where one event contains another, the
// inner one owns the time; where kernels overlap on one stream, the later one.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gait/analyze/device/device_work.h"
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
  // By class, the event that began last on top. Events that have ended are removed when they come to the top.
  std::array<std::vector<Running>, kWorkClasses> running;
  const auto push = [&](const WorkItem& one) {
    running[static_cast<size_t>(one.work)].push_back({one.time.end, &one});
  };
  const auto owner = [&](Ps at) -> const Running* {
    for (std::vector<Running>& of_class : running) {
      while (!of_class.empty() && of_class.back().end <= at) of_class.pop_back();
      if (!of_class.empty()) return &of_class.back();
    }
    return nullptr;
  };
  // Nearly always one piece of work runs alone. It stands here, and `running` is empty. Work that begins
  // before its end owns the rest of its time.
  const WorkItem* alone = nullptr;
  Ps at = work.empty() ? Ps() : work.front().time.begin;
  Interval time;  // of the slice that may go on
  const WorkItem* item = nullptr;
  const auto own = [&](const WorkItem& by, Ps stop) {
    if (&by == item && time.end == at) {
      time.end = stop;
    } else {
      if (item != nullptr) f(time, *item);
      time = {at, stop};
      item = &by;
    }
    at = stop;
  };
  for (size_t i = 0; i <= work.size(); ++i) {
    const WorkItem* next = i < work.size() ? &work[i] : nullptr;
    const Ps until = next != nullptr ? next->time.begin : kMaxTime;
    if (alone != nullptr) {
      if (const Ps stop = std::min(alone->time.end, until); at < stop) own(*alone, stop);
    } else {
      while (at < until) {
        const Running* now = owner(at);
        if (now == nullptr) break;
        own(*now->item, std::min(now->end, until));
      }
    }
    at = until;
    if (next == nullptr || next->time.empty()) continue;
    bool takes_over = false;
    if (alone == nullptr) {
      takes_over = owner(until) == nullptr;
    } else {
      const bool owns_rest = next->work <= alone->work && next->time.end >= alone->time.end;
      takes_over = owns_rest || alone->time.end <= until;
    }
    if (takes_over) {
      alone = next;
      continue;
    }
    if (alone != nullptr) push(*std::exchange(alone, nullptr));
    push(*next);
  }
  if (item != nullptr) f(time, *item);
}

// Cuts intervals that come in order of begin at windows.
class WindowCutter {
 public:
  explicit WindowCutter(const IntervalSet& windows) : windows_(windows) { Read(); }

  // Calls f(part) for the parts of an interval inside the windows.
  template <typename F>
  void ForEachPart(Interval time, F f) {
    while (now_.end <= time.begin && first_ < windows_.size()) {
      ++first_;
      Read();
    }
    if (now_.begin <= time.begin && now_.begin < time.end && time.end <= now_.end) return f(time);
    for (size_t w = first_; w < windows_.size() && windows_[w].begin < time.end; ++w) {
      f(Interval{std::max(time.begin, windows_[w].begin), std::min(time.end, windows_[w].end)});
    }
  }
  // Whether a window holds the begin of the last interval.
  bool Holds(Ps begin) const { return now_.contains(begin); }

 private:
  void Read() { now_ = first_ < windows_.size() ? windows_[first_] : Interval{kMaxTime, kMaxTime}; }

  const IntervalSet& windows_;
  size_t first_ = 0;  // the first window that had not ended before the last interval
  Interval now_;      // that window
};

}  // namespace gait::analyze

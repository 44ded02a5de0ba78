// IntervalPrefixSum: a set of intervals that knows how much of it lies inside any window, in O(log
// intervals).
#pragma once

#include <vector>

#include "gait/base/intervals.h"

namespace gait::analyze {

class IntervalPrefixSum {
 public:
  explicit IntervalPrefixSum(IntervalSet set = {});

  Ps Inside(Interval window) const {
    size_t near = 0;
    return Inside(window, near);
  }
  // The same for windows in a row: `near`, 0 at first, remembers the place of the last window.
  Ps Inside(Interval window, size_t& near) const {
    if (window.empty()) return {};
    if (near < set_.size() && set_[near].contains(window)) return window.length();
    const Ps before = Before(window.begin, near);
    return Before(window.end, near) - before;
  }
  bool Contains(Ps t) const;
  Ps total() const { return set_.empty() ? Ps() : before_.back() + set_.back().length(); }
  const IntervalSet& set() const { return set_; }

 private:
  Ps Before(Ps t, size_t& near) const;

  IntervalSet set_;
  std::vector<Ps> before_;  // by interval: the length of those before it
};

}  // namespace gait::analyze

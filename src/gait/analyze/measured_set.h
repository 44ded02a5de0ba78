// MeasuredSet: a set of intervals that knows how much of it lies inside any window, in O(log intervals).
#pragma once

#include <vector>

#include "gait/base/intervals.h"

namespace gait::analyze {

class MeasuredSet {
 public:
  explicit MeasuredSet(IntervalSet set);

  Ps Inside(Interval window) const {
    return window.empty() ? Ps() : Before(window.end) - Before(window.begin);
  }
  bool Contains(Ps t) const;
  const IntervalSet& set() const { return set_; }

 private:
  Ps Before(Ps t) const;

  IntervalSet set_;
  std::vector<Ps> before_;  // by interval: the length of those before it
};

}  // namespace gait::analyze

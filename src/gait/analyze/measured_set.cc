#include "gait/analyze/measured_set.h"

#include <algorithm>

namespace gait::analyze {

MeasuredSet::MeasuredSet(IntervalSet set) : set_(std::move(set)) {
  before_.reserve(set_.size());
  Ps sum;
  for (const Interval& interval : set_) {
    before_.push_back(sum);
    sum += interval.length();
  }
}

bool MeasuredSet::Contains(Ps t) const {
  const auto next = std::ranges::upper_bound(set_, t, {}, &Interval::begin);
  return next != set_.begin() && t < std::prev(next)->end;
}

Ps MeasuredSet::Before(Ps t, size_t& near) const {
  // The interval `near` or the one after it is the last that begins by t; else it is searched for.
  const auto is_last = [&](size_t i) {
    return i < set_.size() && set_[i].begin <= t && (i + 1 == set_.size() || t < set_[i + 1].begin);
  };
  if (!is_last(near) && !is_last(++near)) {
    const auto next = std::ranges::upper_bound(set_, t, {}, &Interval::begin);
    if (next == set_.begin()) {
      near = 0;
      return {};
    }
    near = static_cast<size_t>(next - set_.begin()) - 1;
  }
  return before_[near] + std::min(t, set_[near].end) - set_[near].begin;
}

}  // namespace gait::analyze

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

Ps MeasuredSet::Before(Ps t) const {
  const auto next = std::ranges::upper_bound(set_, t, {}, &Interval::begin);
  if (next == set_.begin()) return {};
  const auto i = static_cast<size_t>(next - set_.begin()) - 1;
  return before_[i] + std::min(t, set_[i].end) - set_[i].begin;
}

}  // namespace gait::analyze

#include "gait/analyze/time/interval_prefix_sum.h"

#include <algorithm>

namespace gait::analyze {

IntervalPrefixSum::IntervalPrefixSum(IntervalSet set) : set_(std::move(set)) {
  before_.reserve(set_.size());
  Ps sum;
  for (const Interval& interval : set_) {
    before_.push_back(sum);
    sum += interval.length();
  }
}

bool IntervalPrefixSum::Contains(Ps t) const {
  const auto next = std::ranges::upper_bound(set_, t, {}, &Interval::begin);
  return next != set_.begin() && t < std::prev(next)->end;
}

Ps IntervalPrefixSum::Before(Ps t, size_t& near) const {
  // The interval wanted is the last that begins by t: `near`, one of the next few, or it is searched for.
  constexpr size_t kFew = 8;
  const bool ahead = near < set_.size() && set_[near].begin <= t;
  const size_t until = ahead ? std::min(near + kFew, set_.size() - 1) : 0;
  while (ahead && near < until && set_[near + 1].begin <= t) ++near;
  if (!ahead || (near == until && near + 1 < set_.size() && set_[near + 1].begin <= t)) {
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

// IntervalPrefixCursor: asks an IntervalPrefixSum about windows that mostly come in order of time. A window
// that begins no earlier than the interval of the last answer, and ends before the next interval, is answered
// at once.
#pragma once

#include <algorithm>

#include "gait/analyze/time/interval_prefix_sum.h"

namespace gait::analyze {

class IntervalPrefixCursor {
 public:
  // The set must outlive it.
  explicit IntervalPrefixCursor(const IntervalPrefixSum& set) : set_(&set) {}

  // Inline: the answer is shorter than the call.
  [[gnu::always_inline]] Ps Inside(Interval window) {
    if (!Near(window)) return Search(window);
    return std::max(std::min(window.end, here_.end) - window.begin, Ps());
  }
  bool Contains(Ps t) const { return Near({t, t}) ? t < here_.end : set_->Contains(t); }

 private:
  bool Near(Interval window) const { return here_.begin <= window.begin && window.end < next_; }
  [[gnu::noinline]] Ps Search(Interval window) {
    const Ps inside = set_->Inside(window, near_);
    const IntervalSet& all = set_->set();
    const bool before_all = all.empty() || window.end < all[0].begin;
    const size_t next = before_all ? 0 : near_ + 1;
    here_ = before_all ? Interval{-kMaxTime, -kMaxTime} : all[near_];
    next_ = next < all.size() ? all[next].begin : kMaxTime;
    return inside;
  }

  const IntervalPrefixSum* set_;
  size_t near_ = 0;
  Interval here_;  // the last interval that begins by the last window's end
  Ps next_;        // where the one after it begins
};

}  // namespace gait::analyze

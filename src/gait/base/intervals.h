// Half-open intervals [begin, end) and the algebra on sets of them. All interval arithmetic of gait is here.
//
// A *set* is a sorted list of disjoint, non-touching, non-empty intervals; Normalize makes one from anything.
// Set operations take sets and give sets, in time linear in their sizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "gait/base/units.h"

namespace gait {

struct Interval {
  Ps begin;
  Ps end;

  constexpr Ps length() const { return end - begin; }
  constexpr bool empty() const { return end <= begin; }
  constexpr bool contains(Ps t) const { return begin <= t && t < end; }
  constexpr bool contains(Interval other) const { return begin <= other.begin && other.end <= end; }
  constexpr bool overlaps(Interval other) const { return begin < other.end && other.begin < end; }
  friend constexpr bool operator==(Interval, Interval) = default;
};

using IntervalSet = std::vector<Interval>;

// Adds an interval that begins no earlier than the intervals of the set. Kernels of one stream overlap, so
// even a single track needs a union.
inline void Append(IntervalSet& set, Interval next) {
  if (next.empty()) return;
  if (!set.empty() && next.begin <= set.back().end) {
    set.back().end = std::max(set.back().end, next.end);
  } else {
    set.push_back(next);
  }
}

// The union of any intervals, in any order, as a set. Touching intervals join; empty ones vanish. O(n log n),
// O(n) when sorted by begin.
IntervalSet Normalize(std::vector<Interval> intervals);

// Total length of a set; for a list that is no set, the sum of the durations.
Ps TotalLength(std::span<const Interval> set);

IntervalSet Union(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Intersect(std::span<const Interval> a, std::span<const Interval> b);
IntervalSet Subtract(std::span<const Interval> a, std::span<const Interval> b);

// The part of a set inside a window.
IntervalSet Clip(std::span<const Interval> set, Interval window);

// The free time inside the window: Subtract({window}, set).
IntervalSet Gaps(std::span<const Interval> set, Interval window);

// The length of the union of interval_of(0) ... interval_of(count - 1), which are in order of begin. Equal to
// TotalLength(Normalize(...)), but without a copy.
template <typename IntervalOf>
Ps UnionLength(size_t count, IntervalOf interval_of) {
  Ps length;
  Ps reached;
  for (size_t i = 0; i < count; ++i) {
    const Interval interval = interval_of(i);
    const Ps begin = i == 0 ? interval.begin : std::max(interval.begin, reached);
    if (begin < interval.end) length += interval.end - begin;
    reached = i == 0 ? interval.end : std::max(reached, interval.end);
  }
  return length;
}

}  // namespace gait

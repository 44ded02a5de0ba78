#include "gait/base/intervals.h"

#include <algorithm>

namespace gait {
namespace {

bool BeginsFirst(Interval a, Interval b) { return a.begin < b.begin; }

}  // namespace

IntervalSet Normalize(std::vector<Interval> intervals) {
  if (!std::ranges::is_sorted(intervals, BeginsFirst)) std::ranges::sort(intervals, BeginsFirst);
  // Joined where they are, so that nothing is allocated.
  size_t kept = 0;
  for (const Interval next : intervals) {
    if (next.empty()) continue;
    if (kept > 0 && next.begin <= intervals[kept - 1].end) {
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    } else {
      intervals[kept++] = next;
    }
  }
  intervals.resize(kept);
  return intervals;
}

Ps TotalLength(std::span<const Interval> set) {
  Ps total;
  for (const Interval interval : set) total += interval.length();
  return total;
}

IntervalSet Union(std::span<const Interval> a, std::span<const Interval> b) {
  if (a.empty()) return {b.begin(), b.end()};
  if (b.empty()) return {a.begin(), a.end()};
  std::vector<Interval> merged(a.size() + b.size());
  std::ranges::merge(a, b, merged.begin(), BeginsFirst);
  return Normalize(std::move(merged));
}

IntervalSet Intersect(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet result;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    Append(result, {std::max(a[i].begin, b[j].begin), std::min(a[i].end, b[j].end)});
    if (a[i].end < b[j].end) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

IntervalSet Subtract(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet result;
  size_t j = 0;
  for (Interval rest : a) {
    while (j < b.size() && b[j].end <= rest.begin) ++j;
    for (size_t k = j; k < b.size() && b[k].begin < rest.end; ++k) {
      Append(result, {rest.begin, b[k].begin});
      rest.begin = std::max(rest.begin, b[k].end);
    }
    Append(result, rest);
  }
  return result;
}

IntervalSet Clip(std::span<const Interval> set, Interval window) {
  const Interval windows[] = {window};
  if (window.empty()) return {};
  return Intersect(set, windows);
}

IntervalSet Gaps(std::span<const Interval> set, Interval window) {
  const Interval windows[] = {window};
  if (window.empty()) return {};
  return Subtract(windows, set);
}

}  // namespace gait

// Shift: by how much most steps of a run are longer than those of another, whatever a few long ones do.
//
//   shift      the median of all differences b[j] - a[i] (Hodges and Lehmann)
//   interval   the differences of rank k + 1 from both ends, k = nm/2 - 2.576 × sqrt(nm(n + m + 1) / 12): the
//              shifts that Wilcoxon's rank sum test does not rule out at 99 %
//
// The level is higher than that of the means (bootstrap.h): a verdict asks the means first, and a second
// question must not bring more false alarms than the first.
#pragma once

#include <optional>
#include <span>

#include "gait/base/intervals.h"
#include "gait/base/units.h"

namespace gait::analyze {

struct Shift {
  Ps time;
  Interval interval;  // 99 %

  bool may_be_none() const { return interval.begin <= Ps() && interval.end >= Ps(); }
};

inline constexpr size_t kFewestShifted = 6;   // fewer on each side are too few for that level
inline constexpr size_t kMostShifted = 1000;  // of more every so many count
// nullopt for fewer steps on a side.
std::optional<Shift> ShiftOf(std::span<const Ps> a, std::span<const Ps> b);

}  // namespace gait::analyze

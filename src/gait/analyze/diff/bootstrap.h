// How certain a difference of step times is: the bootstrap.
//
//   difference   mean(b) - mean(a)
//   interval     the 2.5 % and 97.5 % quantiles of the difference over kResamples pairs of samples, each
//   drawn
//                with replacement from a and from b
//
// The generator is ours and starts from a fixed seed: the same inputs give the same interval everywhere.
#pragma once

#include <optional>
#include <span>

#include "gait/base/intervals.h"
#include "gait/base/units.h"

namespace gait::analyze {

inline constexpr int kResamples = 2000;

// nullopt where a side has fewer than two values: one step says nothing of how much steps vary.
std::optional<Interval> DifferenceOfMeans(std::span<const Ps> a, std::span<const Ps> b);

}  // namespace gait::analyze

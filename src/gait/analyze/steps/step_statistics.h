// Statistics of step times: over complete steps, over all of them where none is complete.
//
//   quantile p   the smallest step time that at least the share p of the steps does not exceed
//   sigma        standard deviation of a sample: divided by n - 1
#pragma once

#include <vector>

#include "gait/analyze/steps/step_series.h"
#include "gait/base/units.h"

namespace gait::analyze {

struct StepStatistics {
  std::vector<Ps> sorted;  // not empty, where the series is not
  bool complete = true;    // false: no step is

  explicit StepStatistics(const StepSeries& series) : StepStatistics(std::vector{&series}) {}
  // Over the same steps on several hosts.
  explicit StepStatistics(const std::vector<const StepSeries*>& series);

  Ps at(double fraction) const;
  Ps median() const;  // of an even number the mean of the two in the middle
  double mean() const;
  double sigma() const;
};

// Whether the mean and the median of steps differ by more than 2 %: a reader who takes one for the other is
// misled.
bool FarApart(Ps mean, Ps median);

}  // namespace gait::analyze

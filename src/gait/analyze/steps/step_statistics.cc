#include "gait/analyze/steps/step_statistics.h"

#include <algorithm>
#include <cmath>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {

StepStatistics::StepStatistics(const std::vector<const StepSeries*>& series) {
  // The length of an annotation is a step's time only where nothing is known of the devices.
  const bool work = std::ranges::any_of(series, [](const StepSeries* s) { return s->has_work(); });
  const auto collect = [&](bool all) {
    for (const StepSeries* of_host : series) {
      for (const Step& step : of_host->steps) {
        if ((all || step.complete()) && (!work || step.has_work())) sorted.push_back(step.duration());
      }
    }
  };
  collect(false);
  if (sorted.empty()) {
    complete = false;
    collect(true);
  }
  std::ranges::sort(sorted);
}

Ps StepStatistics::at(double fraction) const {
  const auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<size_t>(rank, 1, sorted.size()) - 1];
}

Ps StepStatistics::median() const { return Median(sorted); }

double StepStatistics::mean() const {
  double sum = 0;
  for (const Ps t : sorted) sum += static_cast<double>(t.value());
  return sum / static_cast<double>(sorted.size());
}

double StepStatistics::sigma() const {
  double squares = 0;
  const double middle = mean();
  for (const Ps t : sorted) squares += std::pow(static_cast<double>(t.value()) - middle, 2);
  return sorted.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(sorted.size() - 1));
}

bool FarApart(Ps mean, Ps median) {
  const Ps apart = mean > median ? mean - median : median - mean;
  constexpr int64_t kOneIn = 50;  // 2 %: more than rounding in what a report shows
  return apart * kOneIn > median;
}

}  // namespace gait::analyze

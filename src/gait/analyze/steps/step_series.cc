#include "gait/analyze/steps/step_series.h"

#include <algorithm>

#include <fmt/format.h>

namespace gait::analyze {

// The host waits "for each step" where it waited for 9 of 10: it may go on by itself now and then.
static constexpr size_t kEachTenths = 9;

int64_t Step::devices() const {
  int64_t count = 0;
  for (size_t d = 0; d < events.size(); ++d) count += takes_part(d) ? 1 : 0;
  return count;
}

bool StepSeries::has_work() const { return std::ranges::any_of(steps, &Step::has_work); }

std::string StepSeries::LoopText() const {
  if (!host_known()) return "the capture does not hold the host's launches";
  if (blocks()) {
    return std::ranges::any_of(steps, &Step::complete) ? "each block ends when its work is done"
                                                       : "the capture ended before its work did";
  }
  const auto waited = static_cast<size_t>(std::ranges::count_if(steps, &Step::waited));
  const auto with_work = static_cast<size_t>(std::ranges::count_if(steps, &Step::has_work));
  if (waits && 10 * waited >= kEachTenths * with_work) return "the host waits for each step";
  if (loop == Loop::kHostLate) return "the host goes on late: it waits, or is busy itself";
  if (waited > 0) {
    return fmt::format("the host {}waits for the results of {} of {} steps",
                       host_bound() ? "is slower than the device, and " : "", waited, with_work);
  }
  if (waits) return "the host waits for each step";
  if (loop == Loop::kInline) return "the host runs the programs itself, inside its calls";
  return host_bound() ? "the host is slower than the device" : "the host does not wait for results";
}

std::vector<const Step*> StepSeries::Counted() const {
  std::vector<const Step*> counted;
  for (const Step& step : steps) {
    if (step.complete() && step.has_work()) counted.push_back(&step);
  }
  if (!counted.empty()) return counted;
  for (const Step& step : steps) {
    if (step.has_work()) counted.push_back(&step);
  }
  return counted;
}

Ps Step::duration() const {
  Ps total;
  for (const Interval on_device : time) total += on_device.length();
  return has_work() ? total / devices() : host.length();
}

}  // namespace gait::analyze

// In which steps of a series the host waited for the result (docs/metrics/step_time.md, "Whether the host
// waited").
#pragma once

#include <vector>

#include "gait/analyze/steps/step_series.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// What the host did for the steps of a series, by step.
struct StepLaunches {
  std::vector<Ps> next;       // when its thread begins the next one; kMaxTime: never
  std::vector<Ps> first;      // the begin of its first launch; kMaxTime: none is known
  std::vector<Ps> last;       // the end of the last launch of a GPU's work, or of a call inside which it ran
  bool inside_calls = false;  // some work ran so
};

// Sets `waited` of each step, and `waits`, `host_bound`, `host_late` and `runs_inline` of the series. The
// times of the steps must be known. Linear in the events of host threads.
void JudgeWaits(const Trace& trace, const StepLaunches& launches, StepSeries& series);

}  // namespace gait::analyze

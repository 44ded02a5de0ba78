// In which steps of a series the host waited for the result (docs/metrics/step_time.md, "Whether the host
// waited").
#pragma once

#include <vector>

#include "gait/analyze/steps/step_series.h"
#include "gait/analyze/steps/work_by_step.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// What the host did for the steps of a series, by step.
struct StepLaunches {
  std::vector<Ps> next{};     // when its thread begins the next one; kMaxTime: never
  std::vector<Ps> first{};    // the begin of its first launch; kMaxTime: none is known
  std::vector<Ps> last{};     // the end of the last launch of a GPU's work, or of a call inside which it ran
  bool inside_calls = false;  // some work ran so
};

// `work` is by device.
StepLaunches LaunchesOf(const std::vector<DeviceStepWork>& work, std::vector<Ps> next);

struct StepWaits {
  std::vector<bool> waited{};  // by step
  bool waits = false;          // StepSeries::waits
  Loop loop = Loop::kAsynchronous;
};

// Of steps whose times are known. `thread` launches inferred steps, where it is one.
StepWaits FindWaits(const Trace& trace, const std::vector<Step>& steps, const StepLaunches& launches,
                    TrackId thread);

}  // namespace gait::analyze

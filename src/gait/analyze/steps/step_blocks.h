// The time of steps that are capture blocks (docs/metrics/step_time.md, "Capture blocks").
#pragma once

#include "gait/analyze/steps/step_series.h"

namespace gait::analyze {

// Sets the time of each step on each device that worked for the step. The work of the steps must be known.
// Linear in steps and devices.
void SpanBlocks(StepSeries& series);

}  // namespace gait::analyze

// The time of steps that are capture blocks (steps.h).
#pragma once

#include "gait/analyze/steps/step_series.h"

namespace gait::analyze {

// Sets the time of each step, whose work is known: from when the host went in, or was done with the one
// before, until it went out and all work is done, on each device that worked for it. All of them are whole.
void SpanBlocks(StepSeries& series);

}  // namespace gait::analyze

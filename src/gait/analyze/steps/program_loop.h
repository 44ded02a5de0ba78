// The period at which programs repeat (step_inference.h, `period`).
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/steps/program_runs.h"

namespace gait::analyze {

struct ProgramLoop {
  size_t begin = 0;  // its launches
  size_t end = 0;
  size_t period = 0;
};

// The smallest period of the launches. Launches times periods tried.
std::optional<ProgramLoop> FindPeriod(const std::vector<ProgramRun>& launches);

// Positions of launches with which steps begin; after them, where the last one ends.
std::vector<size_t> StepBegins(const std::vector<ProgramRun>& launches, const ProgramLoop& loop);

}  // namespace gait::analyze

// The arguments that mark the steps of a loop on host threads.
#pragma once

#include <optional>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// The argument that makes a host event a step: step_num. Where no event has a step_num: `_r`, which
// StepTraceAnnotation writes even without a number. The steps of a name are then numbered from 0 on.
std::optional<StringId> StepArgument(const Trace& trace);

// The argument that makes a host event the entry of a capture block; invalid: there is none.
StringId BlockArgument(const Trace& trace);

// Whether the argument set has the argument, by ArgSetId.
std::vector<bool> ArgSetsWith(const Trace& trace, StringId key);

}  // namespace gait::analyze

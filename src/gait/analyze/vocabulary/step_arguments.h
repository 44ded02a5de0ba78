// The arguments that mark the steps of a loop on host threads.
#pragma once

#include <optional>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

// The argument that makes a host event a step: step_num. Where no event has one it is `_r`, which
// StepTraceAnnotation writes also without a number; the steps of a name are then numbered from 0 on.
std::optional<StringId> StepArgument(const Trace& trace);

// The argument that makes a host event the entry of a capture block; invalid: there is none.
StringId BlockArgument(const Trace& trace);

// By ArgSetId: whether the set has the argument.
std::vector<bool> ArgSetsWith(const Trace& trace, StringId key);

}  // namespace gait::analyze

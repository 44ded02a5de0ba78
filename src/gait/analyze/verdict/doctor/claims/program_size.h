// The number of operations of a run's programs. It tells jitted steps from operations that run one by one.
#pragma once

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

// The number of operations of the program with the most device time; 0: no program is known.
size_t OperationsOfMainProgram(const Patient& patient);

// A program with this many operations or more is a jitted step, not an operation that ran by itself.
inline constexpr size_t kJittedStep = 20;

}  // namespace gait::analyze

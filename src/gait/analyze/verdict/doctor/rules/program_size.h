// How many operations the programs of a run have, which tells jitted steps from operations run one by one.
#pragma once

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

// Operations of the program that the device spends most time in; 0: none is known.
size_t OperationsOfMainProgram(const Patient& patient);

// From so many on a program is a jitted step, not an operation that ran by itself.
inline constexpr size_t kJittedStep = 20;

}  // namespace gait::analyze

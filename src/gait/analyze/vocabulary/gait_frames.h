// Frames of the package gait itself, which captures while the program runs. They are the profiler's, not the
// program's.
#pragma once

#include "gait/analyze/vocabulary/python_name.h"

namespace gait::analyze {

bool IsGaitsFrame(const PythonName& python);
// A frame of gait that waits for work which the program has launched.
bool IsGaitsWait(const PythonName& python);

}  // namespace gait::analyze

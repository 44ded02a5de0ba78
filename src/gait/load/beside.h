// The captures that lie in one folder of TensorBoard's layout with a run.
#pragma once

#include <cstddef>
#include <string>

#include "gait/analyze/run/loaded_run.h"

namespace gait::load {

// Empty where the run lies in no such folder. Nothing is read before it is called.
analyze::CapturesBeside CapturesBeside(const std::string& run_path, size_t threads);

}  // namespace gait::load

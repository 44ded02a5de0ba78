// Reading a capture back after it was written.
#pragma once

#include <functional>
#include <string>

#include "capture_job.h"
#include "gait/base/result.h"

namespace gait::python {

// An error when the file cannot be read. `accelerator`: a capture without device events is a loss.
Result<CheckedCapture> CheckCapture(const std::string& path, bool accelerator,
                                    const std::function<void(double)>& progress);

}  // namespace gait::python

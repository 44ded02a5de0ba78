// What reading a capture back says about it.
#pragma once

#include <string>

#include "capture_job.h"
#include "gait/trace/trace.h"

namespace gait::python {

// `accelerator`: a capture without device events is a loss.
CheckedCapture CheckCapture(const Trace& trace, const std::string& path, bool accelerator);

}  // namespace gait::python

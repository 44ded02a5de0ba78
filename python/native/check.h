// What reading a capture back says about it.
#pragma once

#include <string>

#include "capture_job.h"
#include "gait/trace/trace.h"

namespace gait::python {

// `if_idle` is the loss of a capture without events of a device; empty: it is none.
CheckedCapture CheckCapture(const Trace& trace, const std::string& path, const std::string& if_idle);

}  // namespace gait::python

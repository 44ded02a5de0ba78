// Callbacks of programs into Python: on a CPU they are operations, and the host's work all the same.
#pragma once

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/view/run_view.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

bool IsCpu(const Trace& trace, const Device& device);

// Of work of a CPU.
bool IsCallback(const Trace& trace, const WorkItem& item);

// When a device computes nothing but callbacks.
IntervalPrefixSum OnlyCallbacks(const HostView& view, size_t device);

}  // namespace gait::analyze

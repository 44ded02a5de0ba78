// The times at which XLA ran operations on the CPU of a host with other devices: events of the host's threads
// that name an operation and the number of the CPU device.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

// Empty where the devices are the CPU itself. Found once for a host; costs nothing where nothing ran on the
// CPU.
const IntervalSet& CpuWorkOf(const HostView& host);

}  // namespace gait::analyze

// The steps of a capture, in passes: marks (step_marks.h), or step_inference.h where there are none; owners
// of the work (work_owners.h); the work of each step (work_by_step.h); periods on the host and on the devices
// (host_periods.h, step_periods.h); waits (step_waits.h); flags (step_flags.h). Each pass makes a new value
// from those of the passes before.
#pragma once

#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// One series per annotation name. The series with the most device work comes first, of equal ones the series
// with the most steps. Evaluations come last, and a block comes after the blocks inside it that hold its
// work. Without annotations, and where no device work belongs to any of them: the inferred series, if there
// is a period. Linear in the events.
std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work);

}  // namespace gait::analyze

// The report of `gait steps`: how long each step took and where its time went.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Tables steps (a row per step, means over the devices), step_devices (a row per step and device) and
// step_times (statistics over complete steps, a row per series). Linear in the events. Of a block that was
// captured more than once also the table captures (a row per capture); step_times and the answer are of all
// that count.
report::Document StepsDocument(const RunView& view);

}  // namespace gait::analyze

// The report of `gait steps`: how long each step took and where its time went.
#pragma once

#include <optional>

#include "gait/analyze/loaded_run.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct StepsOptions {
  std::optional<int64_t> first;  // step numbers, both included
  std::optional<int64_t> last;
};

// Tables steps (a row per step, means over the devices), step_devices (a row per step and device) and
// step_times (statistics over complete steps, a row per series). Linear in the events.
report::Document StepsDocument(const LoadedRun& run, const StepsOptions& options);

}  // namespace gait::analyze

// The tables of `gait info`, one function each. A table speaks of all hosts of the run; its column "host"
// shows in text only when there are several.
#pragma once

#include "gait/analyze/loaded_run.h"
#include "gait/analyze/steps.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Table HostsTable(const LoadedRun& run);
report::Table DevicesTable(const LoadedRun& run);
// `steps[i]` are those of host i.
report::Table StepsTable(const LoadedRun& run, const std::vector<std::vector<AnnotatedSteps>>& steps);
report::Table ProgramsTable(const LoadedRun& run);
report::Table TracksTable(const LoadedRun& run);
report::Table CaptureTable(const LoadedRun& run);

}  // namespace gait::analyze

// The report of `gait info`: the contents of a run.
#pragma once

#include "gait/analyze/run/loaded_run.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Tables hosts, devices, steps, programs, attribution, tracks, capture. Errors that the profiler reported
// come first. When a file ends early, the answer begins with that. `verbose`: also the table unknown_events.
// Linear in the events.
report::Document InfoDocument(const LoadedRun& run, bool verbose = false);

}  // namespace gait::analyze

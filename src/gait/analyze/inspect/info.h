// The report of `gait info`: what a run holds.
#pragma once

#include "gait/analyze/run/loaded_run.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Tables hosts, devices, steps, programs, attribution, tracks, capture; what the profiler reported as errors
// comes first. The answer begins with it when a file ends early. Linear in the events.
report::Document InfoDocument(const LoadedRun& run);

}  // namespace gait::analyze

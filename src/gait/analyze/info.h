// The report of `gait info`: what a run holds.
#pragma once

#include "gait/analyze/loaded_run.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Tables hosts, devices, steps, programs, tracks, capture; what the profiler reported as errors comes first.
// Linear in the events.
report::Document InfoDocument(const LoadedRun& run);

}  // namespace gait::analyze

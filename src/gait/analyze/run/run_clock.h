// The clock of a run: 0 is the start of the earliest host's capture. The times of a capture begin with the
// capture. The loader of several captures puts them on one clock, so that every analysis, table and timeline
// has the same times.
#pragma once

#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"

namespace gait::analyze {

// To be called once, when all hosts are loaded.
void PutOnRunClock(LoadedRun& run);

// The hosts that keep their own clock in a run of several hosts: their file has no start time, or a start
// time weeks from the others'.
std::vector<std::string> HostsOnOwnClock(const LoadedRun& run);

}  // namespace gait::analyze

// The clock of a run: 0 is the start of the earliest host's capture. A capture's own times begin with itself;
// whoever loads several puts them on one clock, so that every analysis, table and timeline has the same
// times.
#pragma once

#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"

namespace gait::analyze {

// Once, when all hosts are there.
void PutOnRunClock(LoadedRun& run);

// The hosts of a run of several that keep their own clock: the file has no start time, or one that is weeks
// from the others'.
std::vector<std::string> HostsOnOwnClock(const LoadedRun& run);

}  // namespace gait::analyze

// Which executions on several hosts are the same one, where no run id says so.
//
// Captures of several hosts do not begin in the same step, so the k-th execution on one need not be the k-th
// on another. Execution k on the first host that has the operation is execution k + lag on another:
//
//   difference   end on the other host - end on the first, both on the clock of the run (run_clock.h)
//   fit          a lag by which half of the shorter list or more meets: the median of the differences, and
//                their median distance from it. Lags are tried around the one that brings ends next to each
//                other.
//   offset       of two hosts: of the operations that end together on all devices, the fit that spreads
//                least; of several that spread alike the one with the smallest difference, as clocks of hosts
//                differ by less than steps are long, mostly
//   lag          of an operation: that of the fit next to the offset
#pragma once

#include "gait/analyze/collectives/collective_runs.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// Changes the numbers of executions that are not matched by run id. O(executions).
void MatchHosts(const RunView& view, CollectiveExecutions& found);

}  // namespace gait::analyze

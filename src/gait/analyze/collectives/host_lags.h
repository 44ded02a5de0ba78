// Which executions on several hosts are the same execution, where run ids do not tell.
//
// Captures of several hosts do not begin in the same step, so the k-th execution on one need not be the k-th
// on another. Execution k on the first host that has the operation is execution k + lag on another:
//
//   difference   end on the other host - end on the first, both on the clock of the run (run_clock.h)
//   fit          a lag for which at least half of the shorter list has a partner. A fit has the median of the
//                differences, and the spread: their median distance from the median. Lags are tried around
//                the lag that brings ends next to each other.
//   offset       of two hosts: the fit with the least spread, over the operations that end together on all
//                devices. Of fits with equal spread the one with the smallest difference: clocks of hosts
//                mostly differ by less than a step
//   lag          of an operation: the lag of the fit next to the offset
#pragma once

#include "gait/analyze/collectives/collective_runs.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// Renumbers the executions that run ids do not match. O(executions).
void MatchHosts(const RunView& view, CollectiveExecutions& found);

}  // namespace gait::analyze

// How the time of compiling is divided among tasks, phases and stages. Parallel work counts once.
//
//   wall            = U(slices of all threads): the time during which something was compiled
//   active(t)       = the slices at t, without the slice of a caller that waits: another thread works for its
//                   task at t
//   share(slice, t) = dt / |active(t)| for each active slice
//   phase(slice, t) = autotuning where any thread of the task is in the autotuner at t, else the stage's own
//   elapsed(task)   = U(slices of the task): the time that the caller waited
//
// Identity: the shares sum to the wall exactly, by task, by phase and by stage; the share of a task that runs
// alone equals its elapsed time. Integer picoseconds: of the remaining dt mod n picoseconds, the first slices
// in order of their threads get one each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gait/analyze/question/compile/tasks.h"
#include "gait/base/units.h"

namespace gait::analyze {

using PhaseTimes = std::array<Ps, kCompilePhases>;

struct StageTime {
  Ps wall;         // share
  Ps thread_time;  // summed over threads
};

struct CompileShares {
  Ps wall;
  IntervalSet times;              // what the wall is the length of
  std::vector<PhaseTimes> tasks;  // by task
  std::vector<Ps> elapsed;        // by task
  std::array<std::array<StageTime, kCompileStages>, kCompilePhases> stages{};
};

// Only time inside the windows counts. O(slices * (log slices + threads)).
CompileShares ShareCompileTime(const CompileWork& work, const IntervalSet& windows);

}  // namespace gait::analyze

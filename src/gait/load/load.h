// LoadRun: from the files of a run to traces in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"
#include "gait/runs/run.h"

namespace gait::load {

struct LoadOptions {
  size_t threads = 0;                                  // 0: as many as are worth it
  std::function<void(double fraction)> progress = {};  // called from one thread at a time, in rising order
  std::stop_token stop = {};                           // nobody waits for it any more: ends with an error
};

// Reads every host of the run, and the manifest beside it. A host that cannot be read is a loss if another
// host can be read, else an error. Times are on the clock of the run (analyze/run/run_clock.h). The run is
// named by its path; the caller may set a better name.
Result<analyze::LoadedRun> LoadRun(runs::Run run, const LoadOptions& options);

}  // namespace gait::load

// Load: from the words that a person typed for RUN to traces in memory.
#pragma once

#include <memory>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"
#include "gait/cli/verb.h"

namespace gait::cli {

// Reads every host of the run. A host that cannot be read is a loss if another host can be read. Shows a
// progress bar. A run in options.loaded is returned as it is.
Result<std::shared_ptr<const analyze::LoadedRun>> Load(const std::string& run, const CommonOptions& options);

}  // namespace gait::cli

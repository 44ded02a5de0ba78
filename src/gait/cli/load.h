// Load: from the words that a person typed for RUN to traces in memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/cli/verb.h"

namespace gait::cli {

// Reads every host of the run. A host that cannot be read is a loss if another host can be read. Shows a
// progress bar. A run in options.loaded is returned as it is.
Result<std::shared_ptr<const analyze::LoadedRun>> Load(const std::string& run, const CommonOptions& options);

// Runs that are compared, and the view of each.
struct LoadedViews {
  std::vector<std::shared_ptr<const analyze::LoadedRun>> kept;
  std::vector<std::unique_ptr<const analyze::RunView>> made;
  std::vector<const analyze::LoadedRun*> runs;
  std::vector<const analyze::RunView*> views;
};
Result<LoadedViews> LoadViews(const std::vector<std::string>& runs, const analyze::Selection& selection,
                              const CommonOptions& options);

}  // namespace gait::cli

// A block that was captured again and again, each time into a capture of its own, is a series of steps that
// lies in several captures beside each other: all of them are its sample.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/cli/verb.h"

namespace gait::cli {

// The folder of TensorBoard's layout that holds the run and those beside it (.../plugins/profile); empty
// where it lies in none.
std::string FolderOfRuns(const analyze::LoadedRun& run);

// Calls `add` with each capture of the sample, the oldest first: those of the block that `own` holds, as a
// single step, on as many devices. The first one is left out, as it warms up, and so are those that compile
// while others do not. Says how many there are; empty, and nothing is called, where there is no other
// capture.
Result<std::string> ForEachOfSample(const analyze::RunView& own, const CommonOptions& common,
                                    const std::function<Result<void>(const analyze::RunView&)>& add);

// Whether two of the runs lie in one folder: each would be a part of the other's sample, so none has one.
bool ShareFolder(const std::vector<const analyze::LoadedRun*>& runs);

// What `gait steps` says of a block with one step and captures beside it; empty: nothing.
std::string SampleNote(const analyze::RunView& own);

}  // namespace gait::cli

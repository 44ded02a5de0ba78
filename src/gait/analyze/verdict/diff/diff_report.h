// The report of `gait diff`: two runs part by part, or several against the first.
#pragma once

#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/verdict/diff/diff.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document DiffDocument(const LoadedRun& a, const LoadedRun& b, const RunDiff& diff);
// `diffs` compare each further run with the first.
report::Document VariantsDocument(const std::vector<const LoadedRun*>& runs,
                                  const std::vector<RunDiff>& diffs);

}  // namespace gait::analyze

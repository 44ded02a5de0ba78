// The versions, options, flags and devices that differ between two runs.
#pragma once

#include "gait/analyze/verdict/diff/diff.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Table EnvironmentTable(const RunDiff& diff);

}  // namespace gait::analyze

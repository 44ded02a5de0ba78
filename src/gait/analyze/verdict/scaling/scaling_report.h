// The report of `gait scale`.
#pragma once

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/verdict/scaling/scaling.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document ScalingDocument(const std::vector<const LoadedRun*>& runs,
                                 const std::vector<ScalingRow>& rows, ScalingKind kind);

}  // namespace gait::analyze

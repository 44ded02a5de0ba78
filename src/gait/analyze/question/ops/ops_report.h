// The report of `gait ops`: where the device time went, by operation, scope, category, source line, program,
// layer or shape.
#pragma once

#include "gait/analyze/operations/operation_groups.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document OpsDocument(const RunView& view, GroupBy by, const PeakOverride& given = {});

}  // namespace gait::analyze

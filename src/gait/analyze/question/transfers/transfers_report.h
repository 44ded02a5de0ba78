// The report of `gait transfers`: the copies of a run as tables.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document TransfersDocument(const RunView& view);

}  // namespace gait::analyze

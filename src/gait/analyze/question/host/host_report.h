// The report of `gait host`.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document HostDocument(const RunView& view);

}  // namespace gait::analyze

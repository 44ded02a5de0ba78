// The report of `gait kernels`: the kernels of a run as tables.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document KernelsDocument(const RunView& view);

}  // namespace gait::analyze

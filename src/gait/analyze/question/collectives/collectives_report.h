// The report of `gait collectives`.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document CollectivesDocument(const RunView& view);

}  // namespace gait::analyze

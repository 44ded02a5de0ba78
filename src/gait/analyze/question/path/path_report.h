// The critical path as a document: classes, what lies on it, bounds.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document PathDocument(const RunView& view);

}  // namespace gait::analyze

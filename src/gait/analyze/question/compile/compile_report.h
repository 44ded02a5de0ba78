// The report of `gait compile`: tables compiles, compile_functions, compile_phases, compile_totals.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

Result<report::Document> CompileDocument(const RunView& view);

}  // namespace gait::analyze

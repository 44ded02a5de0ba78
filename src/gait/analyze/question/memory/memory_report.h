// The report of `gait memory RUN`: tables memory, memory_live, memory_programs, memory_buffers,
// memory_groups, memory_timeline.
#pragma once

#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

Result<report::Document> MemoryDocument(const RunView& view);

}  // namespace gait::analyze

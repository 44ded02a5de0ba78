// Tables of what programs keep in memory.
#pragma once

#include <vector>

#include "gait/analyze/memory/memory.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Table MemoryProgramsTable(const std::vector<HostMemory>& hosts);
// What is live at the peak of each host's program_at_peak(), by instruction.
report::Table MemoryBuffersTable(const std::vector<HostMemory>& hosts);
// The same by scope, category and shape.
report::Table MemoryGroupsTable(const std::vector<HostMemory>& hosts);
// What that program keeps live over its schedule, for charts.
report::Table MemoryScheduleTable(const std::vector<HostMemory>& hosts);

}  // namespace gait::analyze

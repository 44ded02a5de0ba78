// Tables of what programs keep in memory.
#pragma once

#include <span>
#include <vector>

#include "gait/analyze/question/memory/memory.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Table MemoryProgramsTable(std::span<const HostMemory> hosts);
// What is live at the peak of each host's program_at_peak(), by instruction.
report::Table MemoryBuffersTable(std::span<const HostMemory> hosts);
// The same by scope, category and shape.
report::Table MemoryGroupsTable(std::span<const HostMemory> hosts);
// What that program keeps live over its schedule, for charts.
report::Table MemoryScheduleTable(std::span<const HostMemory> hosts);

}  // namespace gait::analyze

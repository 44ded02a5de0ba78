// Tables of the memory of programs.
#pragma once

#include <span>
#include <vector>

#include "gait/analyze/question/memory/memory.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Table MemoryProgramsTable(std::span<const HostMemory> hosts);
// The buffers that are live at the peak of each host's program_at_peak(), by instruction.
report::Table MemoryBuffersTable(std::span<const HostMemory> hosts);
// The same by scope, category and shape.
report::Table MemoryGroupsTable(std::span<const HostMemory> hosts);
// The live memory of that program over its schedule, for charts.
report::Table MemoryScheduleTable(std::span<const HostMemory> hosts);

}  // namespace gait::analyze

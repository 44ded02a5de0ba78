// The report of `gait memory FILE.prof ...`: tables heap_diff (of several files), heap_places, heap_totals,
// heap_stacks.
#pragma once

#include <vector>

#include "gait/report/table.h"
#include "gait/trace/heap_profile.h"

namespace gait::analyze {

// The profiles in the order of time; at least one.
report::Document HeapDocument(const std::vector<HeapProfile>& profiles);

}  // namespace gait::analyze

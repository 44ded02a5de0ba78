// The scopes of a run as a short table: repeated layers folded, forward and backward beside each other.
#pragma once

#include "gait/analyze/question/overview/overview.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Layers by their parts (layer_*/attention), other scopes whole; the most time first.
report::Table ScopesTable(const Overview& overview, size_t text_rows);

}  // namespace gait::analyze

// The operations of a run that take most time, as a short table.
#pragma once

#include "gait/analyze/question/overview/overview.h"
#include "gait/report/table.h"

namespace gait::analyze {

// At most so many. In text, scopes are without the program's function where all have the same.
report::Table OperationsTable(const Overview& overview, size_t most_rows);

}  // namespace gait::analyze

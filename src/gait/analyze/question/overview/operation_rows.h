// The operations of a run that take the most time, as a short table.
#pragma once

#include "gait/analyze/question/overview/overview.h"
#include "gait/report/table.h"

namespace gait::analyze {

// At most `most_rows` operations. Text leaves the program's function out of the scopes where all operations
// have the same.
report::Table OperationsTable(const Overview& overview, size_t most_rows);

}  // namespace gait::analyze

// The report of `gait list`: the runs below a directory.
#pragma once

#include "gait/report/table.h"
#include "gait/runs/find.h"

namespace gait::analyze {

// `listing` may hold a single file instead of runs. Peeks into one file of each run for the devices; reads no
// events.
Result<report::Document> ListDocument(const runs::Listing& listing);

}  // namespace gait::analyze

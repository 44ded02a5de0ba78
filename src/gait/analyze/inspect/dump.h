// The report of `gait dump`: events with their arguments, in order of time.
#pragma once

#include <memory>

#include "gait/analyze/inspect/event_selection.h"
#include "gait/analyze/run/loaded_run.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

// A usage error for an expression or a window that makes no sense. To be asked before anything is read.
Result<void> CheckOptions(const DumpOptions& options);

// One row per event, of all hosts on one clock; events without a time come last. Rows are made while the
// document is written, so memory does not grow with the events. The document keeps the run alive. A usage
// error for a bad expression or a track that does not exist.
Result<report::Document> DumpDocument(std::shared_ptr<const LoadedRun> run, const DumpOptions& options);

}  // namespace gait::analyze

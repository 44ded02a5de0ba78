// Idle time as a document: causes, the largest gaps, launches and queues.
#pragma once

#include <optional>

#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

// With a cause only its gaps are listed.
report::Document IdleDocument(const RunView& view, std::optional<IdleCause> cause);

}  // namespace gait::analyze

// The report of `gait overview`: tables overview, where, devices, scopes.
#pragma once

#include "gait/analyze/view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

Result<report::Document> OverviewDocument(const RunView& view);

}  // namespace gait::analyze

// The report of `gait overview`: tables overview, where, devices, scopes.
#pragma once

#include "gait/analyze/operations/peaks.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

Result<report::Document> OverviewDocument(const RunView& view, const PeakOverride& given = {});

}  // namespace gait::analyze

// The report of `gait roofline`: how close operations and programs come to the device's peaks, and the step's
// MFU.
#pragma once

#include "gait/analyze/operations/roofline.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document RooflineDocument(const RunView& view, const PeakOverride& given = {});

}  // namespace gait::analyze

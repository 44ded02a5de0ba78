// OneScreen: the document of `gait overview`, with the balance of the step in one line.
#pragma once

#include "gait/analyze/operations/peaks.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document OneScreen(const Patient& patient, const Diagnosis& diagnosis);
Result<report::Document> OneScreen(const RunView& view, const PeakOverride& given = {});

}  // namespace gait::analyze

// The unified result: one JSON object per run with the keys of schema 1.0.0 that several profilers share
// (docs/verbs/report.md lists them). What a capture cannot say is left out, never 0.
#pragma once

#include <string>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

std::string UnifiedJson(const Patient& patient);

}  // namespace gait::analyze

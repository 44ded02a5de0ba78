// Evidence: the doctor's finding behind a number.
#pragma once

#include <string>
#include <string_view>

#include "gait/analyze/verdict/doctor/diagnosis.h"

namespace gait::analyze {

// The costliest finding (a warning or more) of the rules about the metric, in one line; empty: no such
// finding.
std::string EvidenceFor(std::string_view metric, const Patient& patient, const Diagnosis& diagnosis);

// The verb that shows the parts of a metric: "memory".
std::string_view VerbFor(std::string_view metric);

}  // namespace gait::analyze

// Evidence: what of the doctor's findings is behind a number.
#pragma once

#include <string>
#include <string_view>

#include "gait/analyze/verdict/doctor/diagnosis.h"

namespace gait::analyze {

// The costliest finding (a warning or more) of a rule that is about the metric, in one line; empty: none is.
std::string EvidenceFor(std::string_view metric, const Patient& patient, const Diagnosis& diagnosis);

// The verb that shows what a metric is made of: "memory".
std::string_view VerbFor(std::string_view metric);

}  // namespace gait::analyze

// The report of `gait doctor`: findings as cards, and tables of evidence, rules and steps with fixes.
#pragma once

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/report/table.h"

namespace gait::analyze {

report::Document DoctorDocument(const Patient& patient, const Diagnosis& diagnosis, bool verbose);

// `gait doctor --list`: a row per rule.
report::Document RulesDocument();
// `gait doctor --explain RULE`.
report::Document ExplainDocument(const Rule& rule);

}  // namespace gait::analyze

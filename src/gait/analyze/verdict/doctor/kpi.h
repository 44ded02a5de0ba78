// The key figures of the user guides with their limits: good, warning, bad (docs/metrics/kpi.md).
#pragma once

#include "gait/analyze/verdict/doctor/patient.h"
#include "gait/report/table.h"

namespace gait::analyze {

enum class Level : uint8_t { kGood, kWarning, kBad };
std::string_view Name(Level level);  // "good", "warning", "bad"

// The level of a value: better than `good` is good, worse than `bad` is bad. `good` > `bad` means that more
// is better.
Level LevelOf(double value, double good, double bad);

// `worst`: where to put the worst level, if somebody asks.
report::Document KpiDocument(const Patient& patient, Level* worst = nullptr);

}  // namespace gait::analyze

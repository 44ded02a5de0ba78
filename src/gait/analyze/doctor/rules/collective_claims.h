// The time of collectives that nothing hides, shared by the rules about them.
#pragma once

#include <vector>

#include "gait/analyze/doctor/patient.h"

namespace gait::analyze {

bool IsCollective(Category category);

// Operations that communicate, by index; their self time is what nothing hides.
std::vector<size_t> CollectiveOperations(const Patient& patient);

// Up to `budget` (of all devices and steps) of idle time for peers and of the collectives' time, in
// proportion.
Claims ClaimWaiting(const Patient& patient, Ps budget);

}  // namespace gait::analyze

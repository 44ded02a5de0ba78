// Claims shared out: between rules that speak of the same time, and up to what a fix could save.
#pragma once

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

Ps PartOf(Ps time, double share);

// Of each claim the same share, so that they sum to at most `budget` (of all devices and steps).
Claims Within(Claims claims, Ps budget);
// What `taken`, made of the same claims by Within, leaves of them.
Claims Without(const Claims& claims, const Claims& taken);

}  // namespace gait::analyze

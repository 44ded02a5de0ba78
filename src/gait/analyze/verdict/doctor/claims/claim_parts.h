// Parts of claims: for rules that divide the same time between them, and for fixes that save less than the
// claims.
#pragma once

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

Ps PartOf(Ps time, double share);

// What an operation, whose flops and bytes are known, saves in a type of half the bytes and this peak in
// FLOP/s: the same share of the roof as now.
Ps SavedByHalfTheBytes(const OpTotal& total, const OpRoof& roof, std::optional<double> peak,
                       double bandwidth);

// The same share of each claim, so that the claims sum to at most `budget` (of all devices and steps).
Claims Within(Claims claims, Ps budget);
// The rest of `claims` without `taken`, which Within made of the same claims.
Claims Without(const Claims& claims, const Claims& taken);

}  // namespace gait::analyze

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"

#include <algorithm>
#include <map>

namespace gait::analyze {

Ps PartOf(Ps time, double share) {
  return Ps(static_cast<int64_t>(static_cast<double>(time.value()) * share));
}

Ps SavedByHalfTheBytes(const OpTotal& total, const OpRoof& roof, std::optional<double> peak,
                       double bandwidth) {
  const auto roof_of = [&](std::optional<double> flops_per_second, double bytes) {
    return std::max(flops_per_second ? *total.flops / *flops_per_second : 0, bytes / bandwidth);
  };
  const double now = roof_of(roof.peak, *total.bytes);
  return now > 0 ? PartOf(total.self, 1 - std::min(1.0, roof_of(peak, *total.bytes / 2) / now)) : Ps();
}

Claims Within(Claims claims, Ps budget) {
  Ps all;
  for (const Claim& claim : claims) all += claim.amount;
  if (all <= budget) return claims;
  const double share = ShareOf(budget, all);
  for (Claim& claim : claims) claim.amount = PartOf(claim.amount, share);
  return claims;
}

Claims Without(const Claims& claims, const Claims& taken) {
  std::map<uint32_t, Ps> amounts;
  for (const Claim& claim : taken) amounts[claim.piece] = claim.amount;
  Claims rest;
  for (Claim claim : claims) {
    claim.from += amounts[claim.piece];
    claim.amount -= amounts[claim.piece];
    if (claim.amount > Ps()) rest.push_back(claim);
  }
  return rest;
}

}  // namespace gait::analyze

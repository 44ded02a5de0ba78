#include "gait/analyze/verdict/doctor/claims/claim_parts.h"

#include <map>

namespace gait::analyze {

Ps PartOf(Ps time, double share) {
  return Ps(static_cast<int64_t>(static_cast<double>(time.value()) * share));
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

#include "gait/analyze/doctor/rules/collective_claims.h"

#include <algorithm>

#include "gait/analyze/doctor/gap_reason.h"

namespace gait::analyze {

bool IsCollective(Category category) {
  return category >= Category::kAllReduce && category <= Category::kCollective;
}

std::vector<size_t> CollectiveOperations(const Patient& patient) {
  std::vector<size_t> found;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (IsCollective(total.what.category) && total.self > Ps()) found.push_back(i);
  }
  return found;
}

Claims ClaimWaiting(const Patient& patient, Ps budget) {
  Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return ReasonOf(p) == GapReason::kPeer; });
  Ps all;
  for (const Claim& claim : claims) all += claim.amount;
  for (const size_t i : CollectiveOperations(patient)) {
    claims.push_back(patient.ledger.Operation(i, patient.operations()[i].self));
    all += patient.operations()[i].self;
  }
  if (all <= budget || all == Ps()) return claims;
  const double scale = ShareOf(budget, all);
  for (Claim& claim : claims) {
    claim.amount = Ps(static_cast<int64_t>(static_cast<double>(claim.amount.value()) * scale));
  }
  return claims;
}

}  // namespace gait::analyze

#include "gait/analyze/verdict/doctor/claims/collective_claims.h"

#include <algorithm>
#include <map>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

using CollectiveName = std::pair<std::string_view, std::string_view>;  // of the program and the collective

}  // namespace

bool IsCollective(Category category) {
  return category >= Category::kAllReduce && category <= Category::kCollective;
}

std::vector<CollectiveTime> CollectiveTimes(const Patient& patient) {
  std::map<CollectiveName, std::vector<const CollectiveStats*>> by_name;
  for (const CollectiveStats& stats : patient.collectives.collectives) {
    const CollectiveOperation& operation = patient.collectives.found.operations[stats.operation];
    by_name[{operation.program, operation.name}].push_back(&stats);
  }
  std::vector<CollectiveTime> found;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!IsCollective(total.what.category) || total.self <= Ps()) continue;
    CollectiveName name{"", total.what.name};
    if (total.what.attributed()) {
      const Program& program = *total.what.program;
      name = {program.name, program.text(program[Beginning(program, total.what.instruction)].name)};
    }
    CollectiveTime& time = found.emplace_back(CollectiveTime{.operation = i, .exchange = total.self});
    if (const auto named = by_name.find(name); named != by_name.end()) time.stats = named->second;
    Ps exposed;
    Ps waited;
    for (const CollectiveStats* stats : time.stats) {
      time.known |= stats->wait.has_value();
      exposed += stats->exposed;
      for (const Ps by_device : stats->waited) waited += by_device;
    }
    time.waiting = std::min(total.self, PartOf(total.self, ShareOf(waited, exposed)));
    time.exchange -= time.waiting;
  }
  return found;
}

Claims ClaimWaiting(const Patient& patient) {
  Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kPeer; });
  for (const CollectiveTime& time : CollectiveTimes(patient)) {
    Claim claim = patient.ledger.Operation(time.operation, time.waiting);
    claim.from = time.exchange;
    if (claim.amount > Ps()) claims.push_back(claim);
  }
  return claims;
}

}  // namespace gait::analyze

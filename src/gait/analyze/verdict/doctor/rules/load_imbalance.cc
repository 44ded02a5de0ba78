#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/device_balance.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict LoadImbalance(const Patient& patient) {
  if (patient.has_one_device()) return Verdict::Unchecked(kOneDevice);
  const DeviceBalance balance = BalanceOf(patient);
  if (balance.same_work || !balance.matters(patient)) return Verdict::Clean();
  Finding finding = balance.NewFinding(patient, balance.claims);
  finding.title = "Devices have unequal work";
  finding.cause = balance.Describe(patient) + "; the others wait for it.";
  finding.fix =
      "divide the work evenly: batches and sequence lengths of equal size per device, experts with a "
      "capacity "
      "limit, pipeline stages of equal time; a dimension that the mesh does not divide leaves a remainder";
  finding.evidence.push_back({"it executed operations that the others did not execute, or not as often"});
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLoadImbalanceRule;
const Rule kLoadImbalanceRule = {
    .name = "load_imbalance",
    .topic = Topic::kDevices,
    .summary = "devices have unequal amounts of work",
    .metrics = "exposed_comm",
    .check = LoadImbalance,
    .explain =
        "Speaks when devices execute different work and the busiest computes so much longer than the mean "
        "that the others wait for 3 % of a step or more. Cost: the difference to the mean, as far as the "
        "others were seen to wait in collectives or for a peer.",
};

}  // namespace gait::analyze

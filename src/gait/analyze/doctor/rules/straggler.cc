#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/collective_claims.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict Straggler(const Patient& patient) {
  const CollectivesResult& collectives = patient.collectives;
  if (collectives.found.devices.size() < 2) return Verdict::Unchecked(kOneDevice);
  if (collectives.late.executions == 0) return Verdict::Unchecked("no collective joins the devices");
  if (!collectives.late.device) return Verdict::Clean();
  Ps waited;
  for (const CollectiveDeviceStats& device : collectives.devices) waited += device.waited;
  const Claims claims = ClaimWaiting(patient, waited);
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const size_t late = *collectives.late.device;
  const RunDevice& device = collectives.found.devices[late];
  const std::string& host = patient.view->hosts[device.host].host->name;
  finding.title = "One device keeps the others waiting";
  finding.cause = fmt::format("{}{} begins {:.0f} % of the collectives last; the others wait for it.",
                              device.name, patient.view->hosts.size() > 1 ? " of " + host : "",
                              100 * collectives.late.share_last(late));
  finding.fix =
      "look at what this device or its host does before the collectives (gait idle --device, gait host): a "
      "slower "
      "input pipeline, another process, lower clocks; with uneven work see load_imbalance";
  finding.evidence.push_back({fmt::format(
      "{} of {} collectives began last on it, {} late on average",
      report::CountText(collectives.late.last[late]), report::CountText(collectives.late.executions),
      report::TimeText(collectives.late.skew_of[late] /
                       static_cast<int64_t>(std::max<uint64_t>(1, collectives.late.last[late]))))});
  std::vector<Evidence> operations = patient.OperationEvidence(claims);
  if (!operations.empty()) finding.evidence.push_back(std::move(operations[0]));
  finding.see = "collectives";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kStragglerRule;
const Rule kStragglerRule = {"straggler", "one device begins collectives later than the others", Straggler,
                             "Speaks when one device causes more than half of the skew of the collectives' "
                             "starts and waiting takes 2 % of\n"
                             "a step or more. Cost: the time that devices waited in collectives beyond what "
                             "the last to join needed, mean\n"
                             "over devices."};

}  // namespace gait::analyze

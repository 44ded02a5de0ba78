#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/claims/collective_claims.h"
#include "gait/analyze/verdict/doctor/claims/device_balance.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

std::string OfThreads(const Patient& patient) {
  if (std::ranges::none_of(patient.overview.devices, SharesCores)) return {};
  return "devices made of the host's threads take turns on its cores, which says little about accelerators; ";
}

void DescribeLateDevice(const Patient& patient, size_t late, Finding& finding) {
  const CollectivesResult& collectives = patient.collectives;
  const RunDevice& device = collectives.found.devices[late];
  const std::string& host = patient.view->hosts[device.host].host->name;
  finding.title = "One device keeps the others waiting";
  finding.cause = fmt::format("{}{} begins {:.0f} % of the collectives last; the others wait for it.",
                              device.name, patient.view->hosts.size() > 1 ? " of " + host : "",
                              100 * collectives.late.share_last(late));
  finding.fix = OfThreads(patient) +
                "look at what this device or its host does before the collectives (gait idle --device, gait "
                "host): a slower input pipeline, another process, lower clocks";
  finding.evidence.push_back({fmt::format(
      "{} of {} collectives began last on it, {} late on average",
      report::CountText(collectives.late.last[late]), report::CountText(collectives.late.executions),
      report::TimeText(collectives.late.skew_of[late] /
                       static_cast<int64_t>(std::max<uint64_t>(1, collectives.late.last[late]))))});
}

void DescribeLateHost(const Patient& patient, size_t late, Finding& finding) {
  const LateStarts& starts = patient.collectives.late;
  const std::string& host = patient.view->hosts[late].host->name;
  finding.title = "One host keeps the others waiting";
  finding.cause =
      fmt::format("The devices of {} come late to collectives together; the others wait for them.", host);
  finding.fix =
      OfThreads(patient) +
      "look at what this host does before the collectives (gait host --host, gait path): a checkpoint "
      "that only it writes, a slower input pipeline, another process";
  finding.evidence.push_back(
      {fmt::format("{} of {} of late starts are of devices of {} that came together",
                   report::TimeText(starts.together[late]), report::TimeText(starts.skew), host)});
}

void DescribeTurns(const Patient& patient, Finding& finding) {
  const LateStarts& late = patient.collectives.late;
  finding.title = "Devices wait for each other";
  finding.cause =
      "Devices come to the collectives at different times, now one last, now another, and the others wait.";
  finding.fix = OfThreads(patient) +
                "look for what differs from step to step (gait steps, gait idle): work that depends on the "
                "data, input of several hosts, other processes; fewer collectives leave fewer places to wait";
  std::vector<size_t> by_skew(late.skew_of.size());
  for (size_t d = 0; d < by_skew.size(); ++d) by_skew[d] = d;
  std::ranges::stable_sort(by_skew, std::greater(), [&](size_t d) { return late.skew_of[d]; });
  std::string who;
  constexpr size_t kNamed = 3;
  for (size_t i = 0; i < std::min(kNamed, by_skew.size()); ++i) {
    who += fmt::format("{}{} {:.0f} %", who.empty() ? "" : ", ",
                       patient.collectives.found.devices[by_skew[i]].name,
                       100 * ShareOf(late.skew_of[by_skew[i]], late.skew));
  }
  finding.evidence.push_back(
      {fmt::format("of the late starts of {} collectives: {}", report::CountText(late.executions), who)});
}

Verdict Straggler(const Patient& patient) {
  const CollectivesResult& collectives = patient.collectives;
  if (collectives.found.devices.size() < 2) return Verdict::Unchecked(kOneDevice);
  if (collectives.late.executions == 0) return Verdict::Unchecked("no collective joins the devices");
  Claims claims = ClaimWaiting(patient);
  // Who has more work, or is slower at it, comes late because of that.
  if (const DeviceBalance balance = BalanceOf(patient); balance.explains(patient)) {
    claims = Without(claims, balance.claims);
  }
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  if (collectives.late.host) {
    DescribeLateHost(patient, *collectives.late.host, finding);
  } else if (collectives.late.device) {
    DescribeLateDevice(patient, *collectives.late.device, finding);
  } else {
    DescribeTurns(patient, finding);
  }
  std::vector<Evidence> operations = patient.OperationEvidence(claims);
  if (!operations.empty()) finding.evidence.push_back(std::move(operations[0]));
  finding.see = {"collectives"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kStragglerRule;
const Rule kStragglerRule = {
    .name = "straggler",
    .topic = Topic::kDevices,
    .summary = "devices wait in collectives, and for which",
    .metrics = "exposed_comm",
    .check = Straggler,
    .explain =
        "Speaks when waiting for devices that come late to collectives takes 2 % of a step or more, and "
        "names the one that causes more than half of the skew of their starts, also without the latest of "
        "them, if there is one. Cost: the time that devices waited in collectives beyond what the last to "
        "join needed, and idled for a peer, mean over devices, without what unequal work (load_imbalance) or "
        "a slower device (slow_device) explains.",
};

}  // namespace gait::analyze

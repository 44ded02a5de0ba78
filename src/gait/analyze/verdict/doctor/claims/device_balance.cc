#include "gait/analyze/verdict/doctor/claims/device_balance.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/claims/collective_claims.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Of what a device computed, the part in executions beyond those that devices had of the operation on
// average.
Ps TimeOfMoreWork(const Patient& patient, size_t device) {
  const std::vector<Coverage>& devices = patient.overview.operations->coverage;
  Ps more;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const Coverage::OfOperation& here = devices[device].operations()[i];
    if (here.pieces == 0 || IsCollective(patient.operations()[i].what.category)) continue;
    uint64_t everywhere = 0;
    for (const Coverage& any : devices) everywhere += any.operations()[i].pieces;
    const double mean = static_cast<double>(everywhere) / static_cast<double>(devices.size());
    more += PartOf(here.durations, std::max(0.0, 1 - mean / static_cast<double>(here.pieces)));
  }
  return more;
}

}  // namespace

bool SharesCores(const DeviceOverview& device) {
  const Trace& trace = device.host->trace();
  return trace.plane(device.device->plane).kind == PlaneKind::kCpuDevice &&
         std::ranges::count(trace.planes(), PlaneKind::kCpuDevice, &Plane::kind) > 1;
}

DeviceBalance BalanceOf(const Patient& patient) {
  DeviceBalance balance;
  Ps sum;
  for (const DeviceOverview& device : patient.overview.devices) {
    balance.compute.push_back(device.parts.compute / std::max<int64_t>(1, device.host->steps));
    sum += balance.compute.back();
  }
  const auto most = std::ranges::max_element(balance.compute);
  balance.most = *most;
  balance.slowest = static_cast<size_t>(most - balance.compute.begin());
  balance.mean = sum / static_cast<int64_t>(balance.compute.size());
  balance.same_work =
      TimeOfMoreWork(patient, balance.slowest) * 2 <=
      (balance.most - balance.mean) * patient.view->portions() / static_cast<int64_t>(balance.compute.size());
  constexpr double kSlower = 1.05;
  balance.slow =
      balance.same_work && std::ranges::none_of(patient.overview.devices, SharesCores) &&
      static_cast<double>(balance.most.value()) > kSlower * static_cast<double>(balance.mean.value());
  balance.claims = Within(ClaimWaiting(patient), (balance.most - balance.mean) * patient.ledger.steps());
  return balance;
}

bool DeviceBalance::matters(const Patient& patient) const {
  constexpr double kLeast = 0.03;
  return patient.Matter(claims, kLeast);
}

Claims DeviceBalance::Slowness(const Patient& patient) const {
  Claims saved = claims;
  const Ps others =
      (mean * static_cast<int64_t>(compute.size()) - most) / static_cast<int64_t>(compute.size() - 1);
  const double seen = std::min(1.0, ShareOf(patient.ledger.Cost(claims), most - mean));
  const auto& ran = patient.overview.operations->coverage[slowest].operations();
  for (size_t i = 0; i < ran.size(); ++i) {
    if (ran[i].pieces == 0 || IsCollective(patient.operations()[i].what.category)) continue;
    saved.push_back(
        patient.ledger.Operation(i, PartOf(ran[i].durations, seen * ShareOf(most - others, most))));
  }
  return saved;
}

Finding DeviceBalance::NewFinding(const Patient& patient, const Claims& saved) const {
  Finding finding = patient.Costs(saved);
  finding.evidence = patient.OperationEvidence(claims);  // where the others waited
  finding.see = {"overview", "table", "devices"};
  return finding;
}

std::string DeviceBalance::Describe(const Patient& patient) const {
  const DeviceOverview& device = patient.overview.devices[slowest];
  return fmt::format("{}{} computes {}, the mean of {} devices is {}", device.device->name,
                     patient.view->hosts.size() > 1 ? " of " + device.host->host->name : "",
                     patient.PerStep(most), compute.size(), report::TimeText(mean));
}

}  // namespace gait::analyze

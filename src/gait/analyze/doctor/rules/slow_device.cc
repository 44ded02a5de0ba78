#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/device_balance.h"

namespace gait::analyze {
namespace {

constexpr double kSlower = 1.05;  // than the mean

Verdict SlowDevice(const Patient& patient) {
  if (patient.view->device_count() < 2) return Verdict::Unchecked("the capture holds one device");
  const auto shares_cores = [](const DeviceOverview& d) {
    return d.host->trace().plane(d.device->plane).kind == PlaneKind::kCpuDevice;
  };
  if (std::ranges::any_of(patient.overview.devices, shares_cores)) {
    return Verdict::Unchecked("CPU devices share the host's cores");
  }
  const DeviceBalance balance = BalanceOf(patient);
  const bool slow =
      static_cast<double>(balance.most.value()) > kSlower * static_cast<double>(balance.mean.value());
  constexpr double kLeast = 0.03;
  if (!balance.same_work || !slow || !patient.Matter(balance.claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(balance.claims);
  finding.title = "One device is slower than the others";
  finding.cause = balance.Describe(patient) + " for the same operations.";
  finding.fix =
      "compare clocks, temperature and power of the devices (nvidia-smi -q -d CLOCK,PERFORMANCE), look for "
      "other\n"
      "processes on it, and take it out if it stays slow";
  finding.evidence.push_back({balance.Describe(patient)});
  finding.see = "overview --table devices";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kSlowDeviceRule;
const Rule kSlowDeviceRule = {
    "slow_device", "one device takes longer for the same operations", SlowDevice,
    "Speaks when all devices execute the same operations equally often, one takes more than 5 % longer than "
    "the\n"
    "mean, and the others wait for 3 % of a step or more. Cost: as for load_imbalance."};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/device_balance.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict SlowDevice(const Patient& patient) {
  if (patient.has_one_device()) return Verdict::Unchecked(kOneDevice);
  if (std::ranges::any_of(patient.overview.devices, SharesCores)) {
    return Verdict::Unchecked("CPU devices share the host's cores");
  }
  const DeviceBalance balance = BalanceOf(patient);
  if (!balance.slow || !balance.matters(patient)) return Verdict::Clean();
  Finding finding = balance.NewFinding(patient, balance.Slowness(patient));
  finding.title = "One device is slower than the others";
  finding.cause = balance.Describe(patient) + " for the same operations.";
  finding.fix =
      "compare clocks, temperature and power of the devices (nvidia-smi -q -d CLOCK,PERFORMANCE), look for "
      "other "
      "processes on it, and take it out if it stays slow";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kSlowDeviceRule;
const Rule kSlowDeviceRule = {
    .name = "slow_device",
    .topic = Topic::kDevices,
    .summary = "one device takes longer for the same operations",
    .metrics = "exposed_comm",
    .check = SlowDevice,
    .explain =
        "Speaks when one device takes more than 5 % longer than the mean, not because it executes more, and "
        "the others wait for 3 % of a step or more. Cost: what it takes longer than the others, as far as "
        "they were seen to wait. CPU devices are compared where each has a host of its own; on one host they "
        "share its cores.",
};

}  // namespace gait::analyze

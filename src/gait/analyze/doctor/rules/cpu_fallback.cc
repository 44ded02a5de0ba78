#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/measured_set.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

PlaneKind KindOf(const HostView& host, const Device& device) { return host.trace().plane(device.plane).kind; }

Verdict CpuFallback(const Patient& patient) {
  Claims claims;
  Ps on_cpu;
  bool mixed = false;
  for (const HostView& host : patient.view->hosts) {
    IntervalSet cpu;
    bool accelerator = false;
    for (size_t d = 0; d < host.devices.size(); ++d) {
      if (KindOf(host, host.devices[d]) == PlaneKind::kCpuDevice) {
        cpu = Union(cpu, host.times[d].busy());
      } else {
        accelerator = true;
      }
    }
    if (!accelerator || cpu.empty()) continue;
    mixed = true;
    const MeasuredSet busy(cpu);
    for (size_t d = 0; d < host.devices.size(); ++d) {
      if (KindOf(host, host.devices[d]) == PlaneKind::kCpuDevice) continue;
      for (const Interval window : host.windows[d]) on_cpu += busy.Inside(window);
      for (size_t i = 0; i < patient.ledger.idle().size(); ++i) {
        const IdleSlice& piece = patient.ledger.idle()[i];
        if (piece.host != &host || piece.device != d || piece.gap == nullptr) continue;
        const double share = ShareOf(busy.Inside(piece.gap->time), piece.gap->time.length());
        Claim claim = patient.ledger.Idle(i);
        claim.amount = Ps(static_cast<int64_t>(static_cast<double>(claim.amount.value()) * share));
        if (claim.amount > Ps()) claims.push_back(claim);
      }
    }
  }
  if (!mixed) return patient.has_devices() ? Verdict::Clean() : Verdict::Unchecked("no device did anything");
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Programs run on the CPU";
  finding.cause = fmt::format("While the device idles, XLA runs programs on the host's CPU ({} in all).",
                              report::TimeText(on_cpu));
  finding.fix =
      "find the arrays that live on the CPU and move them:\n"
      "  jax.default_backend(); x.devices()\n"
      "  x = jax.device_put(x, jax.devices()[0])\n"
      "a jax.default_device(cpu) context or backend='cpu' in a jit keeps its results there";
  finding.evidence =
      patient.GapEvidence(claims, [](const IdleSlice&) { return std::string(" while the CPU computes"); });
  finding.see = "ops --device CPU";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCpuFallbackRule;
const Rule kCpuFallbackRule = {"cpu_fallback", "programs that run on the CPU beside an accelerator",
                               CpuFallback,
                               "Speaks when XLA ran operations on the CPU while a GPU or TPU of the same "
                               "host idled for 1 % of a step or\n"
                               "more. Cost: that idle time."};

}  // namespace gait::analyze

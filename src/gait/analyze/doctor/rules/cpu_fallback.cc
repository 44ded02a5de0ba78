#include <fmt/format.h>

#include "gait/analyze/doctor/cpu_work.h"
#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/claim_parts.h"
#include "gait/analyze/measured_set.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict CpuFallback(const Patient& patient) {
  if (!patient.has_devices()) return Verdict::Unchecked("no device did anything");
  Claims claims;
  Ps on_cpu;
  for (const HostView& host : patient.view->hosts) {
    const IntervalSet& work = CpuWorkOf(host);
    if (work.empty()) continue;
    const MeasuredSet busy(work);
    for (const IntervalSet& windows : host.windows) {
      for (const Interval window : windows) on_cpu += busy.Inside(window);
    }
    for (size_t i = 0; i < patient.ledger.idle().size(); ++i) {
      const IdleSlice& piece = patient.ledger.idle()[i];
      if (piece.host != &host || piece.reason != GapReason::kOnCpu) continue;
      const double share = ShareOf(busy.Inside(piece.gap->time), piece.gap->time.length());
      Claim claim = patient.ledger.Idle(i);
      claim.amount = PartOf(claim.amount, share);
      claims.push_back(claim);
    }
  }
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
  finding.see = "host";
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

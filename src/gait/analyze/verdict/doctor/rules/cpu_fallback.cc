#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/cpu_work.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// The CPU's devices are in a trace where no other did anything; "GPU" where such a one is there.
std::string_view Unused(const HostView& host) {
  const auto has = [&](PlaneKind kind) {
    return std::ranges::any_of(host.trace().planes(), [&](const Plane& plane) { return plane.kind == kind; });
  };
  if (!has(PlaneKind::kCpuDevice)) return {};
  return has(PlaneKind::kGpu) ? "GPU" : has(PlaneKind::kTpu) ? "TPU" : "";
}

Finding AllOnCpu(std::string_view unused) {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.title = fmt::format("All of it ran on the CPU: the {} did nothing", unused);
  finding.cause = fmt::format("The machine has a {}, and the capture holds no work of it.", unused);
  finding.fix =
      "see where the program runs, and why:\n"
      "  jax.default_backend(); x.devices()\n"
      "JAX_PLATFORMS=cpu, or a jaxlib without CUDA, keeps all of it on the CPU";
  finding.evidence.push_back({fmt::format("no event of the {}, programs on CPU devices", unused)});
  finding.see = {"info"};
  return finding;
}

Verdict CpuFallback(const Patient& patient) {
  if (!patient.has_devices()) return Verdict::Unchecked("no device did anything");
  for (const HostView& host : patient.view->hosts) {
    if (const std::string_view unused = Unused(host); !unused.empty()) return Verdict::Of(AllOnCpu(unused));
  }
  Claims claims;
  Ps on_cpu;
  for (const HostView& host : patient.view->hosts) {
    const IntervalSet& work = CpuWorkOf(host);
    if (work.empty()) continue;
    const IntervalPrefixSum busy(work);
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
  finding.see = {"host"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCpuFallbackRule;
const Rule kCpuFallbackRule = {
    .name = "cpu_fallback",
    .topic = Topic::kHost,
    .summary = "programs that run on the CPU beside an accelerator",
    .check = CpuFallback,
    .explain =
        "Speaks when XLA ran operations on the CPU while a GPU or TPU of the same host idled for 1 % of a "
        "step or more. Cost: that idle time. Without a cost where all ran on the CPU of a machine with a GPU "
        "or TPU.",
};

}  // namespace gait::analyze

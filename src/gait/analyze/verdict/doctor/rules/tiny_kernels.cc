#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr Ps kTiny = Microseconds(20);
constexpr double kFarBelow = 0.5;  // of the roofline: most of the time is no work
constexpr int64_t kMany = 20;      // kernels a step

// Of operations that are short and far from the roofline, the time above it: starting and draining a kernel
// takes longer than its work.
Claims ClaimStarts(const Patient& patient) {
  Claims claims;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (total.executions == 0 || total.compute * 2 < total.self) continue;
    if (total.self / static_cast<int64_t>(total.executions) >= kTiny) continue;
    const Work& work = patient.roof(i).work;
    if (work.efficiency().value_or(1) < kFarBelow) claims.push_back(patient.ledger.Operation(i, work.wasted));
  }
  return claims;
}

Verdict TinyKernels(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  if (patient.kernels.count == 0) return Verdict::Unchecked("no kernel ran");
  const auto count = static_cast<int64_t>(patient.kernels.count);
  const int64_t steps = std::max<int64_t>(1, patient.kernels.steps);
  const Ps mean = patient.kernels.total / count;
  if (mean >= kTiny || count < kMany * steps) return Verdict::Clean();
  Claims claims = patient.ClaimIdle(
      [](const IdleSlice& p) { return p.cause == IdleCause::kKernelGap && p.reason == GapReason::kDevice; });
  const Ps gaps = patient.ledger.Cost(claims);
  const Claims starts = ClaimStarts(patient);
  claims.insert(claims.end(), starts.begin(), starts.end());
  constexpr double kLeast = 0.10;  // of a step
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Many tiny kernels";
  finding.cause = fmt::format(
      "{} kernels a step of {} on average: the device spends {} on going from one to the next{}.",
      report::CountText(static_cast<uint64_t>(count / steps)), report::TimeText(mean), patient.PerStep(gaps),
      starts.empty() ? ""
                     : fmt::format(", and they run {} longer than their work needs",
                                   report::TimeText(patient.ledger.Cost(starts))));
  finding.fix =
      "give each kernel more to do: batch small operations (vmap, one large matmul instead of many), "
      "avoid scatter and gather in loops, unroll short scans:\n"
      "  jax.lax.scan(body, carry, xs, unroll=8)";
  for (size_t i = 0; i < patient.kernels.sizes.size() && i < 2; ++i) {
    const SizeClass& size = patient.kernels.sizes[i];
    finding.evidence.push_back({fmt::format(
        "{} kernels a step {}", report::CountText(size.count / static_cast<uint64_t>(steps)), size.name)});
  }
  finding.see = {"kernels"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kTinyKernelsRule;
const Rule kTinyKernelsRule = {
    .name = "tiny_kernels",
    .topic = Topic::kDevice,
    .summary = "many kernels too short to be worth their start",
    .metrics = "kernels launches",
    .check = TinyKernels,
    .explain =
        "Speaks when kernels run less than 20 µs on average, there are 20 a step or more, and two things "
        "together take 10 % of a step: the gaps between kernels that were launched in time, and what "
        "operations below 20 µs run above the roofline where they reach less than half of it, as starting a "
        "kernel takes longer than their work. Cost: both.",
};

}  // namespace gait::analyze

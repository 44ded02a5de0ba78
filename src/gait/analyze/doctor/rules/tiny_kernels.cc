#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict TinyKernels(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  if (patient.kernels.count == 0) return Verdict::Unchecked("no kernel ran");
  const Ps mean = patient.kernels.total / static_cast<int64_t>(patient.kernels.count);
  if (mean >= Microseconds(20)) return Verdict::Clean();
  const Claims claims = patient.ClaimIdle(
      [](const IdleSlice& p) { return p.cause == IdleCause::kKernelGap && p.reason == GapReason::kDevice; });
  constexpr double kLeast = 0.10;  // of a step
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const auto steps = static_cast<uint64_t>(std::max<int64_t>(1, patient.kernels.steps));
  finding.title = "Many tiny kernels";
  finding.cause =
      fmt::format("{} kernels a step of {} on average: the device spends {} on going from one to the next.",
                  report::CountText(patient.kernels.count / steps), report::TimeText(mean),
                  patient.PerStep(*finding.cost));
  finding.fix =
      "give each kernel more to do: batch small operations (vmap, one large matmul instead of many), "
      "avoid scatter and gather in loops, unroll short scans:\n"
      "  jax.lax.scan(body, carry, xs, unroll=8)";
  for (size_t i = 0; i < patient.kernels.sizes.size() && i < 2; ++i) {
    const SizeClass& size = patient.kernels.sizes[i];
    finding.evidence.push_back(
        {fmt::format("{} kernels a step {}", report::CountText(size.count / steps), size.name)});
  }
  finding.see = "kernels";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kTinyKernelsRule;
const Rule kTinyKernelsRule = {"tiny_kernels", "gaps between many short kernels add up", TinyKernels,
                               "Speaks when kernels run less than 20 µs on average and the gaps between "
                               "kernels that were launched in time\n"
                               "take 10 % of a step or more. Cost: these gaps."};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict AllocatorCalls(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  const Claims claims =
      patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kAllocating; });
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "The driver allocates memory in the loop";
  finding.cause =
      "The device idles while buffers are allocated, 10 µs or more at a time: no allocator holds its memory. "
      "Freeing leaves no event, and may take as long again." +
      patient.MostlyOneStep(claims);
  finding.fix =
      "leave the device's memory to JAX's own allocator: take out\n"
      "  XLA_PYTHON_CLIENT_ALLOCATOR=platform\n"
      "and, where that is set, TF_GPU_ALLOCATOR; to leave room for other programs:\n"
      "  XLA_PYTHON_CLIENT_MEM_FRACTION=.50\n"
      "donated arguments need no new buffers: jax.jit(step, donate_argnums=0)";
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.see = {"idle", "cause", "allocator"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kAllocatorCallsRule;
const Rule kAllocatorCallsRule = {
    .name = "allocator_calls",
    .topic = Topic::kHost,
    .summary = "the driver allocates memory in the loop",
    .metrics = "host_wait",
    .check = AllocatorCalls,
    .explain =
        "Speaks when the device idles for 1 % of a step or more while its memory is allocated, in pieces of "
        "10 µs "
        "or more: JAX's own allocator answers in a microsecond, the driver in tens. Cost: that idle time. "
        "Freeing "
        "leaves no event, so the gain may be larger.",
};

}  // namespace gait::analyze

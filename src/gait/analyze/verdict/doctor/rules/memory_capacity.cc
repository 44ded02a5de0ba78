#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kFull = 0.9;  // of what the allocator may use

Verdict MemoryCapacity(const Patient& patient) {
  const Allocator* worst = nullptr;
  const ProgramMemory* program = nullptr;
  double share = 0;
  for (const HostMemory& host : patient.overview.memory) {
    const Allocator* candidate = host.worst();
    if (candidate == nullptr || !candidate->limit || *candidate->limit <= 0) continue;
    const double used = static_cast<double>(candidate->peak) / static_cast<double>(*candidate->limit);
    if (worst != nullptr && used <= share) continue;
    worst = candidate;
    share = used;
    program = host.program_at_peak();
  }
  if (worst == nullptr) return Verdict::Unchecked("the capture holds no allocator events with a limit");
  if (share < kFull) return Verdict::Clean();
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.title = "Device memory is nearly full";
  finding.cause = fmt::format("{} had {} of {} in use ({:.0f} %); a slightly larger batch will not fit.",
                              worst->device, report::BytesText(static_cast<uint64_t>(worst->peak)),
                              report::BytesText(static_cast<uint64_t>(*worst->limit)), 100 * share);
  finding.fix =
      "donate what is replaced, recompute activations, or use smaller types:\n"
      "  step = jax.jit(step, donate_argnums=0)\n"
      "  block = jax.checkpoint(\n"
      "      block, policy=jax.checkpoint_policies.dots_saveable)";
  for (size_t i = 0; i < worst->live.size() && i < 3; ++i) {
    const LiveAllocation& live = worst->live[i];
    finding.evidence.push_back(
        {fmt::format("{} {}{}", report::BytesText(static_cast<uint64_t>(live.bytes)), Name(live.kind),
                     live.operation.empty() ? "" : ", " + live.operation)});
  }
  if (program != nullptr) {
    finding.evidence.push_back(
        {fmt::format("{} needs {}", program->program->name,
                     report::BytesText(static_cast<uint64_t>(std::max<int64_t>(0, program->total()))))});
  }
  finding.see = {"memory"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kMemoryCapacityRule;
const Rule kMemoryCapacityRule = {
    .name = "memory_capacity",
    .topic = Topic::kMemory,
    .summary = "device memory near its limit",
    .metrics = "peak_memory",
    .check = MemoryCapacity,
    .explain =
        "Speaks when an allocator's peak reaches 90 % of what it may use. It has no cost in time until it "
        "fails.",
};

}  // namespace gait::analyze

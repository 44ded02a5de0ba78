#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

constexpr double kMost = 0.5;     // of the busy time
constexpr double kOfStep = 0.2;   // of the step: a device that hardly works has other troubles
constexpr size_t kFewestOps = 3;  // of one or two operations one always has half

struct Advice {
  Category category;
  std::string_view fix;
};
constexpr Advice kAdvice[] = {
    {Category::kSort,
     "where only the largest few are wanted, do not sort:\n"
     "  values, places = jax.lax.top_k(x, k)\n"
     "  values, places = jax.lax.approx_max_k(x, k)   # faster where a miss does no harm\n"
     "else sort narrower keys, and keep the order instead of sorting again"},
    {Category::kGatherScatter,
     "threads that add to the same rows wait for each other. Sort the rows once, and say so:\n"
     "  jax.ops.segment_sum(x, rows, n, indices_are_sorted=True)\n"
     "for few rows a product is faster: jax.nn.one_hot(rows, n).T @ x"},
    {Category::kRandom,
     "take the device's own generator:\n"
     "  jax.config.update('jax_default_prng_impl', 'rbg')\n"
     "and draw fewer or narrower numbers: jax.random.bits(key, shape, 'uint8')"},
    {Category::kConvolution,
     "keep channels last (NHWC) and a multiple of 8, in bf16; a convolution of 1 × 1 is a product"},
};
constexpr std::string_view kAnyFix =
    "look at it alone (gait hlo shows its shapes); try another algorithm, a library kernel or a smaller "
    "type, and check that its dimensions fit the hardware (multiples of 128)";

std::string_view FixOf(const Operation& operation) {
  const Program& program = *operation.program;
  const bool picks = program.text(operation.hlo().custom_call_target).contains("TopK") ||
                     program.text(operation.hlo().op_name).contains("top_k");
  const auto* known = std::ranges::find(kAdvice, operation.category, &Advice::category);
  return picks || known == std::end(kAdvice) ? kAnyFix : known->fix;
}

// What need not be done: what an operation takes beyond its work at the device's rates; of a sort of which
// only a part is wanted, beyond reading the array twice. nullopt: nobody knows.
std::optional<Ps> Needless(const Patient& patient, size_t index) {
  const OpTotal& total = patient.operations()[index];
  const Work& work = patient.roof(index).work;
  if (work.efficiency()) return work.wasted;
  const std::optional<double> bandwidth = patient.peaks.bytes_per_second;
  if (total.what.category != Category::kSort || !bandwidth ||
      !IsOnlySliced(*total.what.program, total.what.instruction)) {
    return std::nullopt;
  }
  double bytes = 0;
  for (const InstructionIndex operand : total.what.hlo().operands) {
    if (!operand.valid()) continue;
    bytes += static_cast<double>(ResultBytes(*total.what.program, (*total.what.program)[operand].shape));
  }
  const double seconds = 2 * bytes / *bandwidth * static_cast<double>(total.executions);
  return PartOf(total.self, 1 - std::min(1.0, seconds / std::max(total.time.seconds(), 1e-12)));
}

Verdict DominantOp(const Patient& patient) {
  const Operations& operations = *patient.overview.operations;
  const OpTotal* worst = nullptr;
  size_t index = 0;
  size_t with_time = 0;
  for (size_t i = 0; i < operations.totals.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    with_time += total.self > Ps() ? 1 : 0;
    if (!total.what.attributed() || total.what.category == Category::kControlFlow) continue;
    if (total.compute * 2 < total.self) continue;  // copies and communication have rules of their own
    if (worst == nullptr || total.self > worst->self) {
      worst = &total;
      index = i;
    }
  }
  if (worst == nullptr) return Verdict::Unchecked("no operation is attributed to a program");
  if (with_time < kFewestOps || ShareOf(worst->self, operations.busy) <= kMost ||
      ShareOf(worst->self, patient.ledger.total()) < kOfStep) {
    return Verdict::Clean();
  }
  const std::optional<Ps> needless = Needless(patient, index);
  const bool judged = needless.has_value();
  Finding finding = patient.Costs({patient.ledger.Operation(index, needless.value_or(Ps()))});
  if (!judged || finding.share < kLeastShare) {
    finding.claims.clear();
    finding.severity = Severity::kInfo;
    if (!judged) finding.cost.reset();
  }
  finding.title = fmt::format("One operation takes {:.0f} % of the device's time",
                              100 * ShareOf(worst->self, operations.busy));
  const std::optional<double> efficiency = patient.roof(index).work.efficiency();
  finding.cause = fmt::format("{} ({}) runs {}{}.", worst->what.name, Name(worst->what.category),
                              patient.PerStep(worst->self / patient.ledger.steps()),
                              efficiency ? fmt::format("; it reaches {:.0f} % of what the device allows",
                                                       100 * std::min(1.0, *efficiency))
                              : judged   ? "; only a part of the sorted array is used"
                                         : "; how fast it could be is not known");
  finding.fix = FixOf(worst->what);
  finding.evidence = patient.OperationEvidence({patient.ledger.Operation(index, worst->self)});
  finding.see = {"ops"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kDominantOpRule;
const Rule kDominantOpRule = {
    .name = "dominant_op",
    .topic = Topic::kDevice,
    .summary = "one operation takes more than half",
    .check = DominantOp,
    .explain =
        "Speaks when one operation has more than 50 % of the device's busy time. Cost: its time above the "
        "roofline (what its flops and bytes would need at the device's peak), and of a sort of which only a "
        "part is used the time beyond reading the array twice; unknown where the peak or its work is.",
};

}  // namespace gait::analyze

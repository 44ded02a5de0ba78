#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

constexpr double kMost = 0.5;     // of the busy time
constexpr double kOfStep = 0.2;   // of the step: a device that hardly works has other troubles
constexpr size_t kFewestOps = 3;  // of one or two operations one always has half

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
  const Work& work = patient.roof(index).work;
  const bool judged = work.efficiency().has_value();
  Finding finding = patient.Costs({patient.ledger.Operation(index, judged ? work.wasted : Ps())});
  if (!judged || finding.share < kLeastShare) {
    finding.claims.clear();
    finding.severity = Severity::kInfo;
    if (!judged) finding.cost.reset();
  }
  finding.title = fmt::format("One operation takes {:.0f} % of the device's time",
                              100 * ShareOf(worst->self, operations.busy));
  finding.cause = fmt::format("{} ({}) runs {}{}.", worst->what.name, Name(worst->what.category),
                              patient.PerStep(worst->self / patient.ledger.steps()),
                              judged ? fmt::format("; it reaches {:.0f} % of what the device allows",
                                                   100 * std::min(1.0, *work.efficiency()))
                                     : "; how fast it could be is not known");
  finding.fix =
      "look at it alone (gait hlo shows its shapes); try another algorithm, a library kernel or a smaller "
      "type, and check that its dimensions fit the hardware (multiples of 128)";
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
        "roofline (what its flops and bytes would need at the device's peak); unknown where the peak or its "
        "work is.",
};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict LayoutCopies(const Patient& patient) {
  Claims claims;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.attributed() || total.what.category != Category::kLayout || total.compute == Ps())
      continue;
    if (!Reorders(*total.what.program, total.what.instruction)) continue;
    claims.push_back(patient.ledger.Operation(i, total.compute));
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "Transposes and layout copies";
  finding.cause = claims.size() == 1
                      ? "One operation does nothing but rewrite an array in another order in memory."
                      : fmt::format("{} operations do nothing but rewrite arrays in another order in memory.",
                                    claims.size());
  finding.fix =
      "let products take the dimensions as they lie: one einsum instead of transpose and reshape,\n"
      "  jnp.einsum('btd,dhk->bthk', x, w)  # heads stay in place\n"
      "keep one layout through the model, and concatenate weights once instead of activations";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"ops", "by", "category"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLayoutCopiesRule;
const Rule kLayoutCopiesRule = {
    .name = "layout_copies",
    .topic = Topic::kDevice,
    .summary = "transposes and copies to another layout",
    .avoidable = true,
    .check = LayoutCopies,
    .explain =
        "Speaks when operations that only write arrays in another order on the device (transposes, copies to "
        "another layout) take 3 % of a step or more. Cost: their self time. Copies that leave the order as "
        "it is are in program_copies.",
};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

bool IsCopy(Category category) { return category >= Category::kCopyToDevice && category <= Category::kCopy; }

Verdict ProgramCopies(const Patient& patient) {
  Claims claims;
  Claims host;  // to and from the host's memory
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.attributed() || total.self == total.compute) continue;
    // Copies of an operation that also computes, and operations that are copies.
    const Ps copying = total.self - total.compute;
    const bool copy = IsCopy(total.what.category) || total.what.category == Category::kLayout ||
                      total.what.category == Category::kGatherScatter;
    if (!copy) continue;
    claims.push_back(patient.ledger.Operation(i, copying));
    const Category category = total.what.category;
    if (category == Category::kCopyToDevice || category == Category::kCopyToHost)
      host.push_back(claims.back());
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const bool offload = patient.ledger.Cost(host) * 2 > *finding.cost;
  finding.title = "Copies inside programs";
  finding.cause = fmt::format("The programs copy {} for {} while nothing else runs.",
                              offload ? "between host and device memory" : "arrays on the device",
                              patient.PerStep(*finding.cost));
  finding.fix =
      "avoid the copy: donate inputs that are replaced, update in place, let a scan carry only what "
      "changes:\n"
      "  step = jax.jit(step, donate_argnums=0)\n"
      "and for arrays kept in host memory, fetch the next layer's while this one computes";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = "ops --by category";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kProgramCopiesRule;
const Rule kProgramCopiesRule = {"program_copies", "copies inside programs that nothing hides", ProgramCopies,
                                 "Speaks when copies that a program makes itself (of loop carries, slices, "
                                 "parameters that are not donated,\n"
                                 "between memories) take 3 % of a step or more while nothing else runs. "
                                 "Cost: that time. Transposes and copies\n"
                                 "that change the layout are in layout_copies."};

}  // namespace gait::analyze

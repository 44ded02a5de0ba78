#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kNeedsIt = 0.8;  // of the memory: then it is needed

Verdict Rematerialisation(const Patient& patient) {
  Claims claims;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.has_scope() || total.what.scope.pass != Pass::kRematerialised || total.self == Ps())
      continue;
    claims.push_back(patient.ledger.Operation(i, total.self));
  }
  std::string memory;
  for (const HostMemory& host : patient.overview.memory) {
    const Allocator* worst = host.worst();
    if (worst == nullptr || !worst->limit || *worst->limit <= 0) continue;
    const double used = static_cast<double>(worst->peak) / static_cast<double>(*worst->limit);
    if (used > kNeedsIt) return Verdict::Clean();
    memory =
        fmt::format("{} of {} are in use at the peak", report::BytesText(static_cast<uint64_t>(worst->peak)),
                    report::BytesText(static_cast<uint64_t>(*worst->limit)));
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "Activations are computed again";
  finding.cause =
      fmt::format("jax.checkpoint runs parts of the forward pass once more for the backward pass{}.",
                  memory.empty() ? "" : ", although only " + memory);
  finding.fix =
      "take jax.checkpoint (nn.remat) out, if memory allows; else save more of them:\n"
      "  block = jax.checkpoint(\n"
      "      block, policy=jax.checkpoint_policies.dots_saveable)\n"
      "or checkpoint every second block only";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"ops", "by", "scope"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kRematerialisationRule;
const Rule kRematerialisationRule = {
    .name = "rematerialisation",
    .topic = Topic::kDevice,
    .summary = "activations computed twice to save memory",
    .avoidable = true,
    .check = Rematerialisation,
    .explain =
        "Speaks when operations of a rematerialised forward pass take 3 % of a step or more while less than "
        "80 % of the memory is in use, or nothing is known of it. Cost: their self time.",
};

}  // namespace gait::analyze

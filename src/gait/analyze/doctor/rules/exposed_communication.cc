#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/doctor/program_facts.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/collective_claims.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Everything that can be reached from an instruction.
template <typename Next>
std::set<uint32_t> Reachable(InstructionIndex from, Next next) {
  std::set<uint32_t> seen = {from.value};
  std::vector<InstructionIndex> open = {from};
  while (!open.empty()) {
    const InstructionIndex at = open.back();
    open.pop_back();
    for (const InstructionIndex to : next(at)) {
      if (seen.insert(to.value).second) open.push_back(to);
    }
  }
  return seen;
}

// Compute of the same computation that neither needs the collective nor feeds it: it could run meanwhile.
struct Independent {
  Ps time;
  size_t operations = 0;
  std::string largest;
};
Independent FindIndependent(const Patient& patient, const OpTotal& collective) {
  const Program& program = *collective.what.program;
  const auto users = UsersOf(program);
  const auto before =
      Reachable(collective.what.instruction, [&](InstructionIndex at) { return program[at].operands; });
  const auto after =
      Reachable(collective.what.instruction, [&](InstructionIndex at) { return users[at.value]; });
  Independent found;
  Ps most;
  for (const OpTotal& total : patient.operations()) {
    if (total.what.program != &program || total.compute == Ps() || IsCollective(total.what.category))
      continue;
    if (total.what.hlo().computation != collective.what.hlo().computation) continue;
    if (before.contains(total.what.instruction.value) || after.contains(total.what.instruction.value))
      continue;
    found.time += total.compute;
    ++found.operations;
    if (total.compute > most) {
      most = total.compute;
      found.largest = total.what.name;
    }
  }
  return found;
}

// How the devices' compiler is told to overlap; devices made of the host's threads cannot.
std::string_view Overlapping(const Patient& patient) {
  if (patient.has_gpu()) {
    return "let it overlap with computation:\n"
           "  XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true\n";
  }
  if (patient.has(PlaneKind::kTpu)) {
    return "let it overlap with computation:\n"
           "  LIBTPU_INIT_ARGS=--xla_tpu_enable_async_collective_fusion=true\n";
  }
  return "on devices made of the host's threads collectives do not overlap with computation, and how long "
         "they take "
         "says little about accelerators; ";
}

Verdict ExposedCommunication(const Patient& patient) {
  if (patient.has_one_device()) return Verdict::Unchecked(kOneDevice);
  Claims claims;
  for (const size_t i : CollectiveOperations(patient)) {
    claims.push_back(patient.ledger.Operation(i, patient.operations()[i].self));
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  Claims sorted = claims;
  std::ranges::stable_sort(sorted, std::greater(), &Claim::amount);
  const size_t largest = sorted[0].piece - patient.ledger.idle().size();
  const OpTotal& collective = patient.operations()[largest];
  finding.title = "Communication that nothing hides";
  finding.cause =
      fmt::format("Devices communicate for {} while they compute nothing; {} ({}) is the largest part.",
                  patient.PerStep(*finding.cost), collective.what.name, Name(collective.what.category));
  finding.evidence = patient.OperationEvidence(claims);
  if (collective.what.attributed()) {
    const Independent compute = FindIndependent(patient, collective);
    finding.evidence.push_back(
        {compute.operations == 0
             ? fmt::format("no computation is independent of {}: it cannot be hidden as the program stands",
                           collective.what.name)
             : fmt::format("{} independent of {} could hide it: {}, {} first",
                           report::Plural(compute.operations, "operation"), collective.what.name,
                           patient.PerStep(compute.time / patient.ledger.steps()), compute.largest)});
  }
  finding.fix = fmt::format(
      "{}send gradients while the rest of the backward pass runs, in larger pieces, in bf16; shard so that "
      "less has "
      "to travel",
      Overlapping(patient));
  finding.see = "collectives";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kExposedCommunicationRule;
const Rule kExposedCommunicationRule = {"exposed_communication", "collectives that no computation hides",
                                        ExposedCommunication,
                                        "Speaks when communication that no computation hides takes 3 % of a "
                                        "step or more. Cost: that time, mean over\n"
                                        "devices; waiting for a late device is part of it. The evidence says "
                                        "which computation does not depend on the\n"
                                        "largest collective and could hide it."};

}  // namespace gait::analyze

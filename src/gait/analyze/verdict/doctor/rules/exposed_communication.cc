#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/collective_claims.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
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
           "  XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true\n"
           "send gradients while the rest of the backward pass runs; ";
  }
  if (patient.has(PlaneKind::kTpu)) {
    return "let it overlap with computation:\n"
           "  LIBTPU_INIT_ARGS=--xla_tpu_enable_async_collective_fusion=true\n"
           "send gradients while the rest of the backward pass runs; ";
  }
  return "on devices made of the host's threads collectives do not overlap with computation, and how long "
         "they take says little about accelerators; ";
}

// What computation there is to hide a collective.
std::string HiddenBy(const Patient& patient, const std::string& collective, const Independent& compute) {
  if (compute.operations == 0) {
    return fmt::format("no computation is independent of {}: it can be made shorter, not hidden", collective);
  }
  return fmt::format("{} independent of {} could hide it: {}, {} first",
                     report::Plural(compute.operations, "operation"), collective,
                     patient.PerStep(compute.time / patient.ledger.steps()), compute.largest);
}

// What else passed in the collectives: that is the subject of other rules.
std::string WaitingBeside(const Patient& patient, Ps waiting) {
  const std::string straggler = StragglerOf(*patient.view, patient.collectives);
  return fmt::format("not in it: {} of waiting{}", patient.PerStep(waiting / patient.ledger.steps()),
                     straggler.empty() ? " for the device that comes last, now one, now another"
                                       : ", mostly for " + straggler);
}

Verdict ExposedCommunication(const Patient& patient) {
  if (patient.has_one_device()) return Verdict::Unchecked(kOneDevice);
  Claims claims;
  Ps waiting;
  Ps unknown;  // of collectives in which waiting cannot be told from the exchange
  for (const CollectiveTime& time : CollectiveTimes(patient)) {
    if (time.exchange > Ps()) claims.push_back(patient.ledger.Operation(time.operation, time.exchange));
    waiting += time.waiting;
    if (!time.known) unknown += time.exchange;
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const Claim& most = *std::ranges::max_element(claims, {}, &Claim::amount);
  const OpTotal& collective = patient.operations()[most.piece - patient.ledger.idle().size()];
  finding.title = "Communication that nothing hides";
  finding.cause =
      fmt::format("Devices exchange data for {} while they compute nothing; {} ({}) is the largest part.",
                  patient.PerStep(*finding.cost), collective.what.name, Name(collective.what.category));
  finding.evidence = patient.OperationEvidence(claims);
  bool hideable = true;
  if (collective.what.attributed()) {
    const Independent compute = FindIndependent(patient, collective);
    hideable = compute.operations > 0;
    finding.evidence.push_back({HiddenBy(patient, collective.what.name, compute)});
  }
  if (waiting * 10 > most.amount) finding.evidence.push_back({WaitingBeside(patient, waiting)});
  if (unknown > Ps()) {
    finding.evidence.push_back(
        {fmt::format("waiting may be in {} of it: the capture does not tell which devices met",
                     patient.PerStep(unknown / patient.ledger.steps()))});
  }
  finding.fix = fmt::format(
      "{}let less travel: bf16, another sharding; and in larger pieces, as each has a price of its own",
      hideable ? Overlapping(patient) : "");
  finding.see = {"collectives"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kExposedCommunicationRule;
const Rule kExposedCommunicationRule = {
    .name = "exposed_communication",
    .topic = Topic::kDevices,
    .summary = "collectives that no computation hides",
    .metrics = "exposed_comm",
    .check = ExposedCommunication,
    .explain =
        "Speaks when exchanging data takes 3 % of a step or more while devices compute nothing. Cost: that "
        "time, mean over devices, without the waiting for devices that come late, which is in straggler, "
        "load_imbalance and slow_device. The evidence says which computation does not depend on the largest "
        "collective and could hide it.",
};

}  // namespace gait::analyze

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/interruptions.h"
#include "gait/analyze/doctor/rule.h"

namespace gait::analyze {
namespace {

struct Kind {
  Interruption interruption;
  GapReason reason;
  const char* title;
  const char* what;  // the host does
  const char* fix;
};
constexpr Kind kKinds[] = {
    {Interruption::kCheckpoint, GapReason::kCheckpoint, "Checkpoint inside the steps", "saves or restores",
     "save in the background, and capture steps that do not save:\n"
     "  options = orbax.checkpoint.CheckpointManagerOptions(\n"
     "      enable_async_checkpointing=True)\n"
     "  manager = orbax.checkpoint.CheckpointManager(path, options=options)"},
    {Interruption::kEvaluation, GapReason::kEvaluation, "Evaluation inside the steps",
     "evaluates or comes back from it",
     "launch the next training step before you look at what the evaluation found, evaluate less often, and "
     "capture "
     "steps that do not evaluate:\n"
     "  metrics = evaluate(state, batches)          # returns at once\n"
     "  state = train_step(state, batch)\n"
     "  print(float(metrics))                       # now the device is busy"}};

// What has the name, and what the host was at in it: "train.py:9 save (train.py:4 write → time sleep)".
std::string Doing(const Patient& patient, const Claims& claims, Interruption kind) {
  const std::string doing = HostDoing(patient, claims);
  std::map<std::string_view, Ps> by_name;
  for (const Claim& claim : claims) {
    const IdleSlice& piece = patient.ledger.idle()[claim.piece];
    const auto* stretch = InterruptionsOf(*piece.host).At(kind, piece.gap->time);
    if (stretch != nullptr) by_name[piece.host->trace().text(stretch->name)] += claim.amount;
  }
  if (by_name.empty()) return doing;
  std::string_view name =
      std::ranges::max_element(by_name, {}, [](const auto& e) { return e.second; })->first;
  if (name.starts_with('$')) name.remove_prefix(1);
  if (doing.empty() || doing.find(name) != std::string::npos)
    return doing.empty() ? std::string(name) : doing;
  return fmt::format("{} ({})", name, doing);
}

Verdict Checkpoint(const Patient& patient) {
  Verdict verdict;
  for (const Kind& kind : kKinds) {
    const Claims claims = patient.ClaimIdle([&](const IdleSlice& p) { return p.reason == kind.reason; });
    if (!patient.Matter(claims)) continue;
    Finding finding = patient.Costs(claims);
    const std::string doing = Doing(patient, claims, kind.interruption);
    finding.title = kind.title;
    finding.cause =
        fmt::format("The device idles while the host {}{}.", kind.what, doing.empty() ? "" : ", in " + doing);
    finding.fix = kind.fix;
    finding.evidence = patient.GapEvidence(claims, InScene);
    finding.see = "idle";
    verdict.findings.push_back(std::move(finding));
  }
  return verdict;
}

}  // namespace

extern const Rule kCheckpointRule;
const Rule kCheckpointRule = {
    "checkpoint", "a checkpoint or an evaluation runs inside a step", Checkpoint,
    "Speaks when the device idles for 1 % of a step or more while the host was in code that saves, restores "
    "or\n"
    "evaluates, by the names of annotations and Python functions and of those around them, or until the "
    "first\n"
    "training step after an\n"
    "evaluation that is marked as steps of its own. Cost: that idle time. If it happens once in a hundred "
    "steps,\n"
    "the capture overstates it: the cost is that of the captured steps."};

}  // namespace gait::analyze

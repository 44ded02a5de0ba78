#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict Checkpoint(const Patient& patient) {
  const Claims claims = patient.ClaimIdle([](const IdleSlice& p) {
    const GapReason reason = ReasonOf(p);
    return reason == GapReason::kCheckpoint || reason == GapReason::kEvaluation;
  });
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const std::string doing = HostDoing(patient, claims);
  finding.title = "Checkpoint or evaluation inside the steps";
  finding.cause = fmt::format("The device idles while the host saves, restores or evaluates{}.",
                              doing.empty() ? "" : ", in " + doing);
  finding.fix =
      "save in the background, and capture steps that do neither:\n"
      "  options = orbax.checkpoint.CheckpointManagerOptions(\n"
      "      enable_async_checkpointing=True)\n"
      "  manager = orbax.checkpoint.CheckpointManager(path, options=options)";
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.see = "idle";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCheckpointRule;
const Rule kCheckpointRule = {
    "checkpoint", "a checkpoint or an evaluation runs inside a step", Checkpoint,
    "Speaks when the device idles for 1 % of a step or more while the host was in code that saves, restores "
    "or\n"
    "evaluates, by the names of annotations and Python functions. Cost: that idle time. If it happens once "
    "in a\n"
    "hundred steps, the capture overstates it: the cost is that of the captured steps."};

}  // namespace gait::analyze

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/device/self_time.h"
#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/interruptions.h"
#include "gait/analyze/verdict/doctor/rule.h"

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
     "  manager = orbax.checkpoint.CheckpointManager(\n"
     "      path, options=options)"},
    {Interruption::kEvaluation, GapReason::kEvaluation, "Evaluation inside the steps",
     "evaluates or comes back from it",
     "launch the next training step before you look at what the evaluation found, evaluate less often, and "
     "capture "
     "steps that do not evaluate:\n"
     "  metrics = evaluate(state, batches)  # returns at once\n"
     "  state = train_step(state, batch)\n"
     "  print(float(metrics))  # now the device is busy"}};

// What has the name, and what the host was at in it: "train.py:9 save (train.py:4 write → time sleep)".
std::string Doing(const Patient& patient, const Claims& idle, Interruption kind) {
  const std::string doing = HostDoing(patient, idle);
  std::map<std::string_view, Ps> by_name;
  for (const HostView& host : patient.view->hosts) {
    for (const Interruptions::Stretch& stretch : InterruptionsOf(host).of(kind))
      by_name[host.trace().text(stretch.name)] += stretch.time.length();
  }
  if (by_name.empty()) return doing;
  std::string_view name =
      std::ranges::max_element(by_name, {}, [](const auto& e) { return e.second; })->first;
  if (name.starts_with('$')) name.remove_prefix(1);
  if (doing.empty()) return std::string(name);
  return doing.find(name) != std::string::npos ? doing : fmt::format("{} ({})", name, doing);
}

// The work that the host launched meanwhile: of each operation its self time. Launches of the runtime's own
// threads go by their time, as they do for steps.
Claims ClaimWork(const Patient& patient, Interruption kind) {
  const std::vector<HostView>& hosts = patient.view->hosts;
  const auto interrupted = [&](const HostView& host) { return !InterruptionsOf(host).of(kind).empty(); };
  if (std::ranges::none_of(hosts, interrupted)) return {};
  const OperationIndex index(*patient.view);  // in the order of the totals
  std::vector<Ps> self(patient.operations().size());
  for (size_t h = 0; h < hosts.size(); ++h) {
    const Trace& trace = hosts[h].trace();
    const Interruptions& found = InterruptionsOf(hosts[h]);
    for (size_t d = 0; d < hosts[h].devices.size(); ++d) {
      EventRef call;
      bool launched = false;
      WindowCutter cutter(hosts[h].windows[d]);
      ForEachSelfSlice(hosts[h].work[d], [&](Interval slice, const WorkItem& item) {
        if (!item.has_call()) return;
        if (item.call != call) {
          call = item.call;
          const Ps at = trace.track(call.track).begin(call.index);
          launched = found.At(kind, {at, at + Ps(1)}) != nullptr;
        }
        if (!launched) return;
        const uint32_t operation = index.Find(h, trace.track(item.event.track), item.event.index);
        cutter.ForEachPart(slice, [&](Interval part) { self[operation] += part.length(); });
      });
    }
  }
  Claims claims;
  for (size_t i = 0; i < self.size(); ++i) {
    if (self[i] > Ps()) claims.push_back(patient.ledger.Operation(i, self[i]));
  }
  return claims;
}

Verdict Checkpoint(const Patient& patient) {
  Verdict verdict;
  for (const Kind& kind : kKinds) {
    const Claims idle = patient.ClaimIdle([&](const IdleSlice& p) { return p.reason == kind.reason; });
    const Claims work = ClaimWork(patient, kind.interruption);
    Claims claims = idle;
    claims.insert(claims.end(), work.begin(), work.end());
    if (!patient.Matter(claims)) continue;
    Finding finding = patient.Costs(claims);
    const std::string doing = Doing(patient, idle, kind.interruption);
    const std::string where = doing.empty() ? "" : ", in " + doing;
    finding.title = kind.title;
    if (patient.Matter(work)) {
      finding.cause = fmt::format(
          "The device works {} at what the host launches while it {}{}; the mean holds it, and steps without "
          "it "
          "are shorter.",
          patient.PerStep(patient.ledger.Cost(work)), kind.what, where);
      finding.evidence = patient.OperationEvidence(work);
    } else {
      finding.cause = fmt::format("The device idles while the host {}{}.", kind.what, where);
    }
    finding.fix = kind.fix;
    for (Evidence& row : patient.GapEvidence(idle, InScene)) finding.evidence.push_back(std::move(row));
    finding.see = {"idle"};
    verdict.findings.push_back(std::move(finding));
  }
  return verdict;
}

}  // namespace

extern const Rule kCheckpointRule;
const Rule kCheckpointRule = {
    .name = "checkpoint",
    .topic = Topic::kHost,
    .summary = "a checkpoint or an evaluation runs inside a step",
    .metrics = "host_wait",
    .check = Checkpoint,
    .explain =
        "Speaks when the device idles for 1 % of a step or more while the host was in code that saves, "
        "restores or evaluates, by the names of annotations and Python functions and of those around them, "
        "or until the first training step after an evaluation that is marked as steps of its own; or works "
        "as long at what was launched there. Cost: that time. If it happens once in a hundred steps, the "
        "capture overstates it: the cost is that of the captured steps.",
};

}  // namespace gait::analyze

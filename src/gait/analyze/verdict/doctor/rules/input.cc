#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict Input(const Patient& patient) {
  const Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kInput; });
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const std::string doing = HostDoing(patient, claims);
  finding.title = "Waiting for input";
  finding.cause =
      fmt::format("The device idles while the host prepares input{}.", doing.empty() ? "" : ", in " + doing) +
      patient.MostlyOneStep(claims);
  // As many batches must be in the making at once as steps fit into the time that one takes.
  const Ps rest = patient.ledger.step() - *finding.cost;
  const int64_t workers = rest > Ps() ? 1 + finding.cost->value() / rest.value() + 1 : 0;
  finding.fix = fmt::format(
      "prepare the next batches while the device works{1}:\n"
      "  pool = ThreadPoolExecutor({0})\n"
      "  ahead = deque(pool.submit(load, i) for i in range({0}))\n"
      "  ahead.append(pool.submit(load, i + {0}))\n"
      "  batch = ahead.popleft().result()\n"
      "or use a loader with workers (grain, tf.data, torch DataLoader)",
      workers > 2 && workers <= 64 ? workers : 2,
      workers > 2 && workers <= 64 ? fmt::format("; one worker is too few, {} keep up", workers) : "");
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.see = {"idle", "cause", "input"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kInputRule;
const Rule kInputRule = {
    .name = "input",
    .topic = Topic::kHost,
    .summary = "the device waits for the input pipeline",
    .metrics = "input_wait",
    .check = Input,
    .explain =
        "Speaks when the device idles for 1 % of a step or more while the host loads or prepares data, as "
        "its annotations, Python functions and tf.data's events say; bringing it to the device is "
        "host_to_device. Cost: that idle time. With the input hidden behind the device's work the step can "
        "be no shorter than the rest.",
};

}  // namespace gait::analyze

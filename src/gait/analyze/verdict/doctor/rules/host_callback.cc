#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

// The launch of a callback's copies is a part of it, as the time before it is.
bool LaunchesForCallback(const IdleSlice& piece) {
  return piece.cause == IdleCause::kLaunch && piece.gap != nullptr &&
         piece.gap->by[Index(IdleCause::kCallback)] > Ps();
}

Verdict HostCallback(const Patient& patient) {
  Claims claims = patient.ClaimIdle(
      [](const IdleSlice& p) { return p.reason == GapReason::kCallback || LaunchesForCallback(p); });
  Claims work;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (total.what.category != Category::kHostCallback || total.self == Ps()) continue;
    work.push_back(patient.ledger.Operation(i, total.self));
  }
  claims.insert(claims.end(), work.begin(), work.end());
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Callbacks into Python";
  finding.cause =
      "The program calls back into Python (jax.debug.print, pure_callback, io_callback); the device waits "
      "for "
      "each.";
  finding.fix =
      "return the values and look at them outside the jitted function, or only now and then:\n"
      "  jax.lax.cond(step % 100 == 0,\n"
      "               lambda: jax.debug.print('{}', loss), lambda: None)\n"
      "each callback moves its arguments to the host and waits for Python";
  finding.evidence = patient.OperationEvidence(work);
  for (Evidence& gap : patient.GapEvidence(claims, InScene)) finding.evidence.push_back(std::move(gap));
  finding.see = {"idle", "cause", "callback"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kHostCallbackRule;
const Rule kHostCallbackRule = {
    .name = "host_callback",
    .topic = Topic::kHost,
    .summary = "the program calls back into Python",
    .metrics = "host_wait",
    .check = HostCallback,
    .explain =
        "Speaks when callbacks from a program into Python cost 1 % of a step or more. Cost: the time of the "
        "callback operations on the device that nothing hides, and the idle time while the host ran a "
        "callback or before the copies that belong to one.",
};

}  // namespace gait::analyze

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/sync_claims.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

Verdict BetweenSteps(const Patient& patient) {
  if (!patient.has_steps()) return Verdict::Unchecked("the capture has no steps");
  Claims claims = patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kBetweenSteps; });
  const WaitingClaims waits = ClaimHostWaits(patient);
  const Claims& own = waits.own_work;
  claims.insert(claims.end(), own.begin(), own.end());
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const std::string doing = HostDoing(patient, claims);
  finding.title = "Idle between steps";
  const bool late = patient.overview.series != nullptr && patient.overview.series->loop == Loop::kHostLate;
  finding.cause =
      (late && doing.empty()
           ? std::string("The next step is launched late, and nothing recorded says why: the host's own code "
                         "takes long, or it waits for the result.")
           : fmt::format("The next step is launched late: the host is busy with its own code{}.",
                         doing.empty() ? "" : ", in " + doing)) +
      patient.MostlyOneStep(claims);
  finding.fix =
      "move logging, metrics and bookkeeping off the loop or do them every n-th step; keep arguments of the "
      "jitted step few and on the device; donate the state:\n"
      "  train_step = jax.jit(train_step, donate_argnums=0)";
  bool named = false;
  finding.evidence = patient.GapEvidence(claims, [&](const IdleSlice& piece) {
    std::string scene = InScene(piece);
    named |= !scene.empty();
    return scene;
  });
  const bool traced = std::ranges::any_of(patient.hosts, &HostTime::has_python);
  if (!named && !traced)
    finding.evidence.push_back({"no event names what the host did: gait run --python shows it"});
  if (!own.empty()) {
    finding.evidence.push_back(
        {fmt::format("host_sync has {} of such gaps, as long as the host waited; this is "
                     "what stays when it runs ahead",
                     patient.PerStep(patient.ledger.Cost(waits.waiting)))});
  }
  finding.see = {"idle", "cause", "dispatch"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kBetweenStepsRule;
const Rule kBetweenStepsRule = {
    .name = "between_steps",
    .topic = Topic::kHost,
    .summary = "the device idles from one step to the next",
    .metrics = "host_wait",
    .check = BetweenSteps,
    .explain =
        "Speaks when the device idles for 1 % of a step or more between the last work of a step and the "
        "first of the next because the host had not launched it. Cost: that idle time; in a loop that waits "
        "for every step what remains of it when the host runs ahead (host_sync).",
};

}  // namespace gait::analyze

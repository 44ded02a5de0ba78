#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

const char* FixOf(IdleCause cause) {
  switch (cause) {
    case IdleCause::kPeer:
      return "look at the device that comes last to the collectives: gait collectives says which";
    case IdleCause::kInput:
    case IdleCause::kStaging:
      return "prepare and send the next batch while the device works on this one";
    case IdleCause::kCallback:
      return "call back into Python seldom, or look at the values outside the jitted function";
    case IdleCause::kCompile:
      return "capture later, after the first steps; gait compile says what was compiled, and why";
    case IdleCause::kHostSync:
      return "let the host run ahead: look at results late and seldom";
    case IdleCause::kAllocator:
      return "donate inputs that are replaced, so that nothing has to be allocated: jax.jit(step, "
             "donate_argnums=0)";
    case IdleCause::kDispatch:
      return "capture with Python's functions (gait run --python), or put jax.profiler.TraceAnnotation "
             "around parts of "
             "the loop, to see which of its code runs then";
    case IdleCause::kLaunch:
    case IdleCause::kGraphLaunch:
      return "launch less: one jit around the whole step, several steps in one call (lax.scan or fori_loop)";
    case IdleCause::kDependency:
      return "see what the late work waited for (gait path): a copy, another stream, a result of the host. "
             "Where the "
             "steps are short, put several into one call (lax.scan or fori_loop)";
    case IdleCause::kKernelGap:
      return "fewer and larger kernels: larger batches, vmap instead of loops";
    case IdleCause::kUnknown:
      break;
  }
  return "capture with the host's events (the default), so that launches are known";
}

Verdict UnexplainedIdle(const Patient& patient, const Claims& unclaimed) {
  constexpr double kLeast = 0.1;  // of a step
  if (!patient.Matter(unclaimed, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(unclaimed);
  std::array<Claims, kIdleCauses> by_cause;
  for (const Claim& claim : unclaimed)
    by_cause[Index(patient.ledger.idle()[claim.piece].cause)].push_back(claim);
  std::vector<std::pair<Ps, IdleCause>> causes;
  for (size_t c = 0; c < kIdleCauses; ++c) {
    if (!by_cause[c].empty())
      causes.emplace_back(patient.ledger.Cost(by_cause[c]), static_cast<IdleCause>(c));
  }
  std::ranges::stable_sort(causes, std::greater(), [](const auto& cause) { return cause.first; });
  const IdleCause most = causes[0].second;
  const Claims& largest = by_cause[Index(most)];
  const std::string doing = IsHostLate(most) ? HostDoing(patient, largest) : "";
  finding.title = "The device idles, and no other rule explains it";
  finding.cause = fmt::format("{} {}{}", patient.PerStep(causes[0].first), Phrase(most),
                              doing.empty() ? "" : ", in " + doing);
  for (size_t i = 1; i < causes.size() && causes[i].first * 10 > *finding.cost; ++i) {
    finding.cause += fmt::format("; {} {}", report::TimeText(causes[i].first), Phrase(causes[i].second));
  }
  finding.cause += "." + patient.MostlyOneStep(unclaimed);
  finding.fix = FixOf(most);
  finding.evidence = patient.GapEvidence(largest, InScene);
  finding.see = {"idle", "cause", Name(most)};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kUnexplainedIdleRule;
const Rule kUnexplainedIdleRule = {
    .name = "unexplained_idle",
    .topic = Topic::kRest,
    .summary = "idle time that no other rule explains",
    .metrics = "host_wait",
    .check_rest = UnexplainedIdle,
    .explain =
        "Speaks when the device idles for 10 % of a step or more and no other finding claims that time. "
        "Cost: that idle time. It names the causes of gait idle, the largest first; which of them can be "
        "helped is for you to find out.",
};

}  // namespace gait::analyze

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gait/analyze/time/durations.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kFewestSteps = 4;
constexpr double kSlower = 1.3;       // than the median of the others
constexpr int64_t kBeyondSpread = 2;  // times as far above the median as any of them

// How much longer the device idled in the step than in the other counted ones.
Ps ExtraIdle(const DeviceIdle& device, const Step& step) {
  Ps idle;
  std::vector<Ps> others;
  for (const DeviceIdle::OfStep& of : device.steps) {
    if (of.step == &step) {
      idle = of.idle;
    } else {
      others.push_back(of.idle);
    }
  }
  return others.empty() ? Ps() : std::max(Ps(), idle - Median(std::move(others)));
}

// The idle time of the step that others do not have: on each device from its longest gaps, at most `most`.
Claims ClaimExtraIdle(const Patient& patient, const Step& step, Ps most) {
  Claims idle =
      patient.ClaimIdle([&](const IdleSlice& p) { return p.gap != nullptr && p.gap->step == &step; });
  std::ranges::stable_sort(idle, std::greater(), &Claim::amount);
  std::map<std::pair<const HostView*, size_t>, Ps> left;
  Claims claims;
  for (Claim claim : idle) {
    const IdleSlice& piece = patient.ledger.idle()[claim.piece];
    const auto [budget, added] = left.try_emplace({piece.host, piece.device});
    if (added) budget->second = std::min(most, ExtraIdle(FindIdle(*piece.host).devices[piece.device], step));
    claim.amount = std::min(claim.amount, budget->second);
    budget->second -= claim.amount;
    if (claim.amount > Ps()) claims.push_back(claim);
  }
  return claims;
}

Verdict FirstStep(const Patient& patient) {
  const StepSeries* series = patient.overview.series;
  if (series == nullptr) return Verdict::Unchecked("the capture has no steps");
  const std::vector<const Step*> counted = series->Counted();
  if (counted.size() < kFewestSteps) return Verdict::Unchecked("too few steps to compare the first with");
  const Step& first = *counted[0];
  // One before it was the capture's first; where steps were selected, that cannot be told.
  if (patient.view->selection.has_steps()) return Verdict::Unchecked("steps were selected");
  if (&first != series->steps.data()) return Verdict::Unchecked("the first step is not complete");
  std::vector<Ps> others;
  for (size_t i = 1; i < counted.size(); ++i) others.push_back(counted[i]->duration());
  const Ps median = Median(others);
  const Ps extra = first.duration() - median;
  if (first.compiles || extra <= (std::ranges::max(others) - median) * kBeyondSpread ||
      static_cast<double>(first.duration().value()) < kSlower * static_cast<double>(median.value())) {
    return Verdict::Clean();
  }
  const Claims claims = ClaimExtraIdle(patient, first, extra);
  if (!patient.Matter(claims)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "The first step is slower";
  finding.cause = fmt::format("Step {} took {}, the median of the others {}: something is warmed up in it.",
                              first.number, report::TimeText(first.duration()), report::TimeText(median));
  finding.fix =
      "leave it out when you measure (gait overview --steps N:), and start captures some steps after the "
      "last "
      "compilation";
  finding.evidence = patient.GapEvidence(claims, InScene);
  if (patient.overview.profiler && !patient.profiler_is_estimated()) {
    // Steps without the profiler were measured elsewhere: nothing can be taken off them.
    finding.evidence.push_back({"the steps measured without the profiler do not hold it"});
    finding.cost.reset();
    finding.share = 0;
    finding.severity = Severity::kInfo;
    finding.claims.clear();
  }
  finding.see = {"steps"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kFirstStepRule;
const Rule kFirstStepRule = {
    .name = "first_step",
    .topic = Topic::kCapture,
    .summary = "the first step is slower than the others",
    .check = FirstStep,
    .explain =
        "Speaks when the capture's first step is complete and takes 1.3 times the median of the others or "
        "more, without compiling anything, and lies more than twice as far above it as any other step. Cost: "
        "its extra time as far as the device idled longer in it than in the median of the others, spread "
        "over all captured steps; none where steps were measured without the profiler, as they do not hold "
        "it.",
};

}  // namespace gait::analyze

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kFewestSteps = 4;
constexpr double kSlower = 1.3;       // than the median of the others
constexpr int64_t kBeyondSpread = 2;  // times as far above the median as any of them

Verdict FirstStep(const Patient& patient) {
  const StepSeries* series = patient.overview.series;
  if (series == nullptr) return Verdict::Unchecked("the capture has no steps");
  const std::vector<const Step*> counted = series->Counted();
  if (counted.size() < kFewestSteps) return Verdict::Unchecked("too few steps to compare the first with");
  const Step& first = *counted[0];
  std::vector<Ps> others;
  for (size_t i = 1; i < counted.size(); ++i) others.push_back(counted[i]->duration());
  std::ranges::nth_element(others, others.begin() + static_cast<ptrdiff_t>(others.size() / 2));
  const Ps median = others[others.size() / 2];
  const Ps extra = first.duration() - median;
  if (first.compiles || extra <= (std::ranges::max(others) - median) * kBeyondSpread ||
      static_cast<double>(first.duration().value()) < kSlower * static_cast<double>(median.value())) {
    return Verdict::Clean();
  }
  // What of it was idle time, the longest gaps first.
  Claims idle =
      patient.ClaimIdle([&](const IdleSlice& p) { return p.gap != nullptr && p.gap->step == &first; });
  std::ranges::stable_sort(idle, std::greater(), &Claim::amount);
  Claims claims;
  Ps left = extra;
  for (Claim claim : idle) {
    claim.amount = std::min(claim.amount, left);
    left -= claim.amount;
    if (claim.amount > Ps()) claims.push_back(claim);
  }
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
  if (patient.overview.profiler) {
    // Steps without the profiler were measured elsewhere: nothing can be taken off them.
    finding.evidence.push_back({"the steps measured without the profiler do not hold it"});
    finding.cost.reset();
    finding.share = 0;
    finding.severity = Severity::kInfo;
    finding.claims.clear();
  }
  finding.see = "steps";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kFirstStepRule;
const Rule kFirstStepRule = {"first_step", "the first step is slower than the others", FirstStep,
                             "Speaks when the first complete step takes 1.3 times the median of the others "
                             "or more, without compiling anything,\n"
                             "and lies more than twice as far above it as any other step. Cost: its extra "
                             "time as far as the device idled in\n"
                             "it, spread over all captured steps; none where steps were measured without "
                             "the profiler, as they do not hold it."};

}  // namespace gait::analyze

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kFewestSteps = 4;
constexpr double kSlower = 1.3;  // than the median of the others; and slower than each of them

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
  if (first.compiles || first.duration() <= std::ranges::max(others) ||
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
  finding.cause = fmt::format("Step {} took {}, the others {}: something is warmed up in it.", first.number,
                              report::TimeText(first.duration()), report::TimeText(median));
  finding.fix =
      "leave it out when you measure (gait overview --steps N:), and start captures some steps after the "
      "last "
      "compilation";
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.see = "steps";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kFirstStepRule;
const Rule kFirstStepRule = {"first_step", "the first step is slower than the others", FirstStep,
                             "Speaks when the first complete step takes 1.3 times the median of the others "
                             "or more, and longer than any of\n"
                             "them, without compiling anything. Cost: its extra time as far as the device "
                             "idled in it, spread over all captured steps."};

}  // namespace gait::analyze

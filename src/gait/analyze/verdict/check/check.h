// Check: the limits of a run, each held or broken, with the reason.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/verdict/check/limit.h"
#include "gait/analyze/verdict/diff/diff.h"
#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct CheckRow {
  std::string limit;   // as typed, or "not slower than runs/main by 3 %"
  std::string metric;  // "step_time"
  std::optional<double> value{};
  MetricUnit unit = MetricUnit::kCount;
  bool held = false;
  bool judged = true;      // false: nobody can tell, and it is not held
  std::string reason{};    // why it is broken; empty: it is held
  std::string evidence{};  // what is behind it, where something is known
};

// By limit. A usage error for a metric that nobody knows and for a unit that is not its own. A value that is
// not known breaks its limit: a check that cannot look has not passed.
Result<std::vector<CheckRow>> CheckLimits(const std::vector<Limit>& limits,
                                          const std::vector<Metric>& metrics);
// Against a baseline: broken where the run is slower beyond noise by more than the share, and where nobody
// can tell. The evidence is what grew most.
CheckRow CheckBaseline(const RunDiff& diff, double share);

// Puts to broken limits what the doctor knows about them.
void AddEvidence(const Patient& patient, const Diagnosis& diagnosis, std::vector<CheckRow>& rows);

// `list`: the metrics are what was asked for.
report::Document CheckDocument(const Patient& patient, const std::vector<CheckRow>& rows,
                               const std::vector<Metric>& metrics, bool list);

// A JUnit XML report: a test case per limit.
std::string JUnitText(const std::vector<CheckRow>& rows, std::string_view run);
// GitHub's annotations: a line per broken limit.
std::string GithubText(const std::vector<CheckRow>& rows, std::string_view run);

}  // namespace gait::analyze

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

// A row per limit. A usage error for an unknown metric, and for a unit that is not the metric's. An unknown
// value breaks its limit: a check that cannot look has not passed.
Result<std::vector<CheckRow>> CheckLimits(const std::vector<Limit>& limits,
                                          const std::vector<Metric>& metrics);
// A row for a baseline. The limit is broken where the run is slower, beyond noise, by more than the share,
// and where the comparison is not possible. The evidence names the part that grew most.
CheckRow CheckBaseline(const RunDiff& diff, double share);

// Adds the doctor's evidence to broken limits.
void AddEvidence(const Patient& patient, const Diagnosis& diagnosis, std::vector<CheckRow>& rows);

// `list`: a person asked for the metrics themselves.
report::Document CheckDocument(const Patient& patient, const std::vector<CheckRow>& rows,
                               const std::vector<Metric>& metrics, bool list);

// A JUnit XML report: a test case per limit.
std::string JUnitText(const std::vector<CheckRow>& rows, std::string_view run);
// GitHub's annotations: a line per broken limit.
std::string GithubText(const std::vector<CheckRow>& rows, std::string_view run);

}  // namespace gait::analyze

// Metrics by name: the numbers of a run that can have a limit. Each number comes from the analysis that
// defines it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

enum class MetricUnit : uint8_t { kTime, kPercent, kBytes, kCount };  // ps, 0 to 100, bytes, a number

struct Metric {
  std::string name;  // stable: "step_time"
  MetricUnit unit = MetricUnit::kCount;
  std::optional<double> value{};
  std::string unknown_because{};
  std::string about{};
};

// All metrics, in the order of the documentation.
std::vector<Metric> MetricsOf(const Patient& patient, const Diagnosis& diagnosis);

std::string MetricText(MetricUnit unit, double value);  // "19.3 ms", "97.9 %", "8.87 GiB", "10"

}  // namespace gait::analyze

// Limit: a metric, a comparison and a value: "step_time < 12ms", "device_busy > 80%",
// "compiles_after_warmup == 0".
#pragma once

#include <string>
#include <string_view>

#include "gait/analyze/verdict/check/metrics.h"
#include "gait/base/result.h"

namespace gait::analyze {

enum class Comparison : uint8_t { kLess, kLessEqual, kGreater, kGreaterEqual, kEqual, kNotEqual };
std::string_view Name(Comparison comparison);  // "<", "<=", ...

struct Limit {
  std::string text;    // as typed
  std::string metric;  // its name
  Comparison comparison = Comparison::kLess;
  double value = 0;  // in the unit below
  MetricUnit unit = MetricUnit::kCount;
  bool plain =
      false;  // typed without a unit: that of the metric, milliseconds for a time, a fraction for a share
};

// Times in ns, us (µs), ms, s, min; shares in %; bytes in B, kB, MB, GB, TB and KiB, MiB, GiB, TiB; plain
// numbers; units in any case. A usage error for anything else.
Result<Limit> ParseLimit(std::string_view text);

// Whether the limit has the metric's unit.
bool Fits(const Limit& limit, const Metric& metric);
bool Holds(const Limit& limit, const Metric& metric);  // of one that fits and is known

}  // namespace gait::analyze

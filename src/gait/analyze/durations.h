// Statistics over durations that come out of a file, however absurd they are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gait/base/units.h"

namespace gait::analyze {

// a + b, or the nearest time there is.
constexpr Ps SaturatedSum(Ps a, Ps b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a.value(), b.value(), &sum)) return Ps(sum);
  return Ps(b.value() > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
}

struct DurationStatistics {
  Ps mean, p50, p99, min, max;  // pN: the ceil(N/100 x count)-th smallest
};

// Of at least one value; the order of the values changes. Linear.
inline DurationStatistics StatisticsOf(std::vector<Ps>& values) {
  // Of fractions that grow: what lies before one is not looked at for the next.
  auto from = values.begin();
  const auto quantile = [&](double fraction) {
    const auto rank = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(rank, 1, values.size()) - 1);
    std::nth_element(from, at, values.end());
    from = at;
    return *at;
  };
  Int128 sum = 0;
  for (const Ps value : values) sum += value.value();
  const auto [least, greatest] = std::ranges::minmax_element(values);
  DurationStatistics result;
  result.min = *least;
  result.max = *greatest;
  result.mean = Ps(static_cast<int64_t>(sum / static_cast<int64_t>(values.size())));
  result.p50 = quantile(0.5);
  result.p99 = quantile(0.99);
  return result;
}

}  // namespace gait::analyze

// Statistics over durations that come out of a file. Absurd durations are allowed.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "gait/base/units.h"

namespace gait::analyze {

// a + b, clamped to the times that Ps can hold.
constexpr Ps SaturatedSum(Ps a, Ps b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a.value(), b.value(), &sum)) return Ps(sum);
  return Ps(b.value() > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min());
}

// Of an even number of values the mean of the middle two, rounded towards zero; 0 of no values. Linear.
inline Ps Median(std::vector<Ps> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const Int128 sum = static_cast<Int128>(std::max_element(values.begin(), middle)->value()) + middle->value();
  return Ps(static_cast<int64_t>(sum / 2));
}

struct DurationStatistics {
  Ps mean, p50, p99, min, max;  // pN: the ceil(N/100 x count)-th smallest
};

// The n-th smallest of many values. Linear to make, and per question.
class Ranks {
 public:
  // The values must lie between `least` and `greatest`, and must outlive this object.
  Ranks(const std::vector<Ps>& values, Ps least, Ps greatest) : values_(values), least_(least) {
    constexpr size_t kMostRanges = 512;
    counts_.resize(std::min(kMostRanges, std::bit_ceil(values.size() / 4 + 2)));
    const auto bits = [](uint64_t number) { return 64 - std::countl_zero(number); };
    shift_ = std::max(0, bits(Distance(greatest)) - bits(counts_.size() - 1));
    for (const Ps value : values) ++counts_[Distance(value) >> shift_];
  }

  // The n-th smallest value for each n, counted from 0.
  template <size_t N>
  std::array<Ps, N> Find(const std::array<size_t, N>& wanted) const {
    struct Range {
      size_t place = 0;
      size_t n = 0;  // inside it
      std::vector<Ps> values{};
    };
    std::array<Range, N> ranges;
    for (size_t i = 0; i < N; ++i) {
      Range& range = ranges[i];
      for (range.n = wanted[i]; range.n >= counts_[range.place]; ++range.place)
        range.n -= counts_[range.place];
      range.values.reserve(counts_[range.place]);
    }
    for (const Ps value : values_) {
      const uint64_t place = Distance(value) >> shift_;
      for (Range& range : ranges) {
        if (range.place == place) range.values.push_back(value);
      }
    }
    std::array<Ps, N> found;
    for (size_t i = 0; i < N; ++i) {
      auto& [place, n, values] = ranges[i];
      std::ranges::nth_element(values, values.begin() + static_cast<ptrdiff_t>(n));
      found[i] = values[n];
    }
    return found;
  }

 private:
  uint64_t Distance(Ps value) const {
    return static_cast<uint64_t>(value.value()) - static_cast<uint64_t>(least_.value());
  }

  const std::vector<Ps>& values_;
  Ps least_;
  int shift_;
  std::vector<size_t> counts_;  // of values in each of some equal ranges
};

// Of at least one value. Linear.
inline DurationStatistics StatisticsOf(const std::vector<Ps>& values) {
  DurationStatistics result;
  result.min = result.max = values.front();
  Int128 sum = 0;
  for (const Ps value : values) {
    sum += value.value();
    result.min = std::min(result.min, value);
    result.max = std::max(result.max, value);
  }
  const Ranks ranks(values, result.min, result.max);
  const auto rank = [&](double fraction) {
    const auto place = static_cast<size_t>(std::ceil(fraction * static_cast<double>(values.size())));
    return std::clamp<size_t>(place, 1, values.size()) - 1;
  };
  result.mean = Ps(static_cast<int64_t>(sum / static_cast<int64_t>(values.size())));
  const auto [p50, p99] = ranks.Find(std::array{rank(0.5), rank(0.99)});
  result.p50 = p50;
  result.p99 = p99;
  return result;
}

}  // namespace gait::analyze

#include "gait/analyze/diff/bootstrap.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gait::analyze {
namespace {

// SplitMix64: small, fast, and the same on every machine.
class Random {
 public:
  uint64_t Below(uint64_t limit) {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  uint64_t state_ = 42;
};

double ResampledMean(std::span<const Ps> values, Random& random) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    sum += static_cast<double>(values[random.Below(values.size())].value());
  return sum / static_cast<double>(values.size());
}

}  // namespace

std::optional<Interval> DifferenceOfMeans(std::span<const Ps> a, std::span<const Ps> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  Random random;
  std::vector<double> differences;
  differences.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    const double first = ResampledMean(a, random);
    differences.push_back(ResampledMean(b, random) - first);
  }
  std::ranges::sort(differences);
  const auto at = [&](double share) {
    return Ps(static_cast<int64_t>(differences[static_cast<size_t>(share * (kResamples - 1))]));
  };
  return Interval{at(0.025), at(0.975)};
}

}  // namespace gait::analyze

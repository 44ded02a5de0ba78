#include "gait/analyze/verdict/diff/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>
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

// The step times of one run, as a sample of all that it could have had.
struct Sample {
  explicit Sample(std::span<const Ps> values) : size(static_cast<double>(values.size())) {
    for (const Ps value : values) times.push_back(static_cast<double>(value.value()));
    for (const double time : times) mean += time / size;
    for (const double time : times) variance_of_mean += (time - mean) * (time - mean) / (size - 1) / size;
  }

  double Deviation(Random& random) const {
    double sum = 0;
    for (size_t i = 0; i < times.size(); ++i) sum += times[random.Below(times.size())];
    return (sum / size - mean) * std::sqrt(size / (size - 1));
  }

  double size;
  std::vector<double> times;
  double mean = 0;
  double variance_of_mean = 0;
};

double WelchDegreesOfFreedom(const Sample& a, const Sample& b) {
  const double both = a.variance_of_mean + b.variance_of_mean;
  if (both == 0) return a.size + b.size - 2;
  const auto term = [&](const Sample& s) { return s.variance_of_mean * s.variance_of_mean / (s.size - 1); };
  return both * both / (term(a) + term(b));
}

constexpr double kNormalQuantile = 1.96;

// The 97.5 % quantile. Between whole numbers that of the smaller: rather too wide than too narrow.
double StudentQuantile(double degrees_of_freedom) {
  constexpr std::array kQuantiles = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  const auto whole = static_cast<size_t>(std::max(1.0, degrees_of_freedom));
  if (whole <= kQuantiles.size()) return kQuantiles[whole - 1];
  const auto n = static_cast<double>(whole);
  return kNormalQuantile + 2.37 / n +
         2.82 / (n * n);  // the first terms of its expansion around the normal one
}

}  // namespace

std::optional<Interval> DifferenceOfMeans(std::span<const Ps> a, std::span<const Ps> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const Sample first(a);
  const Sample second(b);
  Random random;
  std::vector<double> deviations;
  deviations.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    const double of_first = first.Deviation(random);
    deviations.push_back(second.Deviation(random) - of_first);
  }
  std::ranges::sort(deviations);
  const double widen = StudentQuantile(WelchDegreesOfFreedom(first, second)) / kNormalQuantile;
  const auto at = [&](double share) {
    const double deviation = deviations[static_cast<size_t>(share * (kResamples - 1))];
    return Ps(static_cast<int64_t>(std::llround(second.mean - first.mean + widen * deviation)));
  };
  return Interval{at(0.025), at(0.975)};
}

}  // namespace gait::analyze

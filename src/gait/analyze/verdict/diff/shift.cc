#include "gait/analyze/verdict/diff/shift.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gait::analyze {
namespace {

// In order, and no more than kMostShifted of them, evenly chosen.
std::vector<Ps> Some(std::span<const Ps> values) {
  std::vector<Ps> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  if (sorted.size() <= kMostShifted) return sorted;
  std::vector<Ps> some;
  for (size_t i = 0; i < kMostShifted; ++i) some.push_back(sorted[i * sorted.size() / kMostShifted]);
  return some;
}

}  // namespace

std::optional<Shift> ShiftOf(std::span<const Ps> a, std::span<const Ps> b) {
  if (std::min(a.size(), b.size()) < kFewestShifted) return std::nullopt;
  const std::vector<Ps> first = Some(a);
  const std::vector<Ps> second = Some(b);
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  const auto rank = static_cast<size_t>(n * m / 2 - 2.576 * std::sqrt(n * m * (n + m + 1) / 12)) - 1;
  std::vector<Ps> differences;
  differences.reserve(first.size() * second.size());
  for (const Ps before : first) {
    for (const Ps after : second) differences.push_back(after - before);
  }
  std::ranges::sort(differences);
  return Shift{differences[differences.size() / 2],
               {differences[rank], differences[differences.size() - 1 - rank]}};
}

}  // namespace gait::analyze

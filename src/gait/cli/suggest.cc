#include "gait/cli/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace gait::cli {
namespace {

// Levenshtein's distance: letters to insert, remove or replace.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string_view Suggest(std::string_view typed, std::span<const std::string_view> known) {
  constexpr size_t kLongest = 40;  // nobody mistypes more than a word
  std::string_view best;
  size_t nearest = typed.size() <= 3 ? 2 : 3;
  if (typed.size() > kLongest) return best;
  for (const std::string_view word : known) {
    const size_t distance = Distance(typed, word);
    if (distance < nearest) {
      nearest = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace gait::cli

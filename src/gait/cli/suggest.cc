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

// Of a word that may have been broken off: gpu_max_activty for gpu_max_activity_api_events.
size_t DistanceToBegin(std::string_view typed, std::string_view word) {
  constexpr size_t kLongEnough = 6;
  size_t nearest = Distance(typed, word);
  if (typed.size() < kLongEnough) return nearest;
  for (size_t length = typed.size() - 1; length <= typed.size() + 1 && length < word.size(); ++length) {
    nearest = std::min(nearest, Distance(typed, word.substr(0, length)) + 1);
  }
  return nearest;
}

}  // namespace

std::string_view Suggest(std::string_view typed, std::span<const std::string_view> known) {
  constexpr size_t kLongest = 40;  // nobody mistypes more than a word
  std::string_view best;
  size_t nearest = typed.size() <= 3 ? 2 : 3;
  if (typed.size() > kLongest) return best;
  for (const std::string_view word : known) {
    const size_t distance = DistanceToBegin(typed, word);
    if (distance < nearest) {
      nearest = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace gait::cli

// Search: slices by name, arguments, duration and time.
//
// Search looks for a text in the names of slices, in the names and scopes of their operations, and in the
// values of their arguments. Names and argument sets are interned, so each is looked at once; only arguments
// that differ from slice to slice are looked at one by one. Beyond that O(slices), on all threads.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "gait/base/result.h"
#include "gait/timeline/book.h"

namespace gait::timeline {

enum class SearchIn : uint8_t { kAll, kNames, kArguments };

struct SearchQuery {
  // Matches any part, without regard to case. /.../ is a regular expression. "..." is the whole name of a
  // slice or of its operation, or the operation with the id of its program in front: "16654/fusion.12".
  std::string text{};
  SearchIn in = SearchIn::kAll;
  std::vector<uint32_t> name_ids{};  // instead of a text
  std::vector<uint32_t> tracks{};    // by number; empty: all tracks of slices that are not derived
  std::optional<Ps> least{};         // duration
  std::optional<Ps> most{};
  std::optional<Ps> from{};  // begin, on the run's clock
  std::optional<Ps> to{};
  std::stop_token stop{};  // nobody waits any more: what is returned then is not whole
};

struct SliceRef {
  Ps begin;  // on the run's clock
  uint32_t track;
  uint32_t event;
  friend auto operator<=>(const SliceRef&, const SliceRef&) = default;
};

struct NameCount {
  std::string name;
  uint64_t count = 0;
  Ps time;
};

struct SearchResult {
  uint64_t total = 0;
  Ps time;                         // of all matches, overlaps counted as often as they occur
  bool capped = false;             // not all matches are listed
  std::vector<SliceRef> matches;   // in order
  std::vector<uint32_t> name_ids;  // whose names match
  std::vector<NameCount> names;    // with matches, the most first
};

inline constexpr size_t kMostMatches = 1'000'000;

// A usage error for a bad expression.
Result<SearchResult> Search(const Book& book, const SearchQuery& query);

// The argument of a slice that holds the text, as name and value, if the slice's name does not hold it.
Result<std::optional<std::pair<std::string, std::string>>> MatchingArgument(const Book& book, SliceRef slice,
                                                                            const std::string& text);

}  // namespace gait::timeline

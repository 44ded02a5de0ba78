// The words of a name: "H2D Dispatch" is {h2d, dispatch}, "BufferFromHostBuffer" {buffer, from, host,
// buffer}.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace gait::analyze {

using Words = std::vector<std::string>;
Words WordsOf(std::string_view name);  // in lower case

bool HasOneOf(const Words& words, const auto& wanted) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return std::ranges::find(wanted, word) != std::end(wanted); });
}
inline bool HasAll(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::all_of(
      wanted, [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); });
}

}  // namespace gait::analyze

// A list as one value of a table: a JSON array for programs, a line for people.
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gait/report/table.h"

namespace gait::report {

// People see the first `most` items with the separator between them, and how many follow.
Cell ListCell(const std::vector<std::string>& items, std::string_view separator = ", ",
              size_t most = std::numeric_limits<size_t>::max());

// Of items that are JSON already: numbers.
Cell RawListCell(const std::vector<std::string>& items, std::string_view separator);
template <std::integral T>
Cell ListCell(const std::vector<T>& numbers, std::string_view separator = ", ") {
  std::vector<std::string> items;
  for (const T number : numbers) items.push_back(std::to_string(number));
  return RawListCell(items, separator);
}

}  // namespace gait::report

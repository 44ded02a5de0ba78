// Arrange: the rows of a table as a person asked for them: filtered, sorted and cut.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gait/base/result.h"
#include "gait/base/units.h"
#include "gait/report/table.h"

namespace gait::report {

struct Arrangement {
  std::function<bool(const std::string&)> name{};  // rows whose key it accepts; empty: all
  // A column's name or its head in text: numbers from the largest down, text from A to Z; "-column" is the
  // other way round. Unknown values come last.
  std::string sort{};
  // Keeps rows whose time is at least this. The time is in the first visible time column, else in the first
  // time column. A tree also keeps the rows above these rows.
  std::optional<Ps> min{};
  std::optional<size_t> top{};  // so many rows, in a tree below each parent; 0: all. Unset: as the table says
};

// A usage error for a column that does not exist, for `min` where no column is a time, and for sorting very
// many rows that are made while they are written. In a tree, siblings are sorted and counted among
// themselves, and a row keeps the rows above it.
Result<void> Arrange(Table& table, const Arrangement& arrangement);

}  // namespace gait::report

// Which table and rows of a document a person wants to see: --table, --sort, --name, --min, --top, --explain.
#pragma once

#include <optional>
#include <string>

#include "gait/base/result.h"
#include "gait/report/table.h"

namespace gait::report {

struct TableOptions {
  std::string table{};          // only this one, whole; empty: all
  std::optional<size_t> top{};  // rows of the main table; 0: all; unset: as the table says
  std::string sort{};           // a column of the main table
  std::string name{};           // a pattern on the main table's names
  std::string min{};            // rows of the main table that take at least this time: "10ms"
  bool explain = false;         // say what the columns mean
};

// A usage error for a table, a column, a time or an expression that does not exist.
Result<void> ChooseRows(Document& document, const TableOptions& options);

}  // namespace gait::report

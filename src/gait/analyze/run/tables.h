// Helpers with which the reports of all verbs make tables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/numbers.h"
#include "gait/report/table.h"

namespace gait::analyze {

using report::AmountText;
using report::BytesText;
using report::Cell;
using report::Column;
using report::Plural;
using report::Row;
using report::Show;
using report::Table;
using report::TimeText;
using report::Type;
using report::Unknown;
namespace unit = report::unit;

inline constexpr const char* kNoSteps = "the capture has no steps";

inline Table NewTable(std::string name, std::string key, std::vector<Column> columns) {
  Table table;
  table.name = std::move(name);
  table.key = std::move(key);
  table.columns = std::move(columns);
  return table;
}
inline Table NewTable(std::string name, std::vector<Column> columns) {
  return NewTable(std::move(name), {}, std::move(columns));
}

// A list in braces would copy every cell.
template <typename... T>
std::vector<Table> TablesOf(T... tables) {
  std::vector<Table> all;
  all.reserve(sizeof...(tables));
  (all.push_back(std::move(tables)), ...);
  return all;
}

inline Column TextColumn(std::string name, Show show, std::string_view about) {
  return {std::move(name), Type::kText, unit::kNone, std::move(show), about};
}
inline Column TimeColumn(std::string name, Show show, std::string_view about) {
  return {std::move(name), Type::kInteger, unit::kPs, std::move(show), about};
}
inline Column HiddenColumn(std::string name, Type type, std::string_view about,
                           std::string_view of = unit::kNone) {
  return {std::move(name), type, of, {.hidden = true}, about};
}

// The column that tells programs of one name apart.
inline Column ProgramIdColumn(std::string_view about = "the program's id") {
  return {"program_id", Type::kInteger, unit::kNone, {.hidden = true, .identifier = true}, about};
}

// The host column. Text leaves the column out where there is only one host.
inline Column HostColumn(bool one_host, std::string_view about = "the host of the process") {
  return TextColumn("host", {.hidden = one_host, .elastic = true}, about);
}
// All columns of bytes of a table share their unit.
inline Column BytesColumn(std::string name, std::string head, std::string_view about, bool hidden = false) {
  return {std::move(name),
          Type::kInteger,
          unit::kBytes,
          {.head = std::move(head), .hidden = hidden, .group = "bytes"},
          about};
}

// part / whole; 0 where the whole is 0.
inline double Ratio(Ps part, Ps whole) {
  return whole <= Ps() ? 0 : static_cast<double>(part.value()) / static_cast<double>(whole.value());
}
inline double Percent(Ps part, Ps whole) { return 100 * Ratio(part, whole); }
inline double Percent(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// A sum over steps, per step.
inline Cell PerStep(Ps sum, int64_t steps) { return steps > 0 ? Cell(sum / steps) : Cell(Unknown{kNoSteps}); }

}  // namespace gait::analyze

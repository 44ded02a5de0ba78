// What many reports say the same way: a share, the column of the host, columns of bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/table.h"

namespace gait::report {

// Of nothing, every share is 0.
inline double Percent(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}
inline double Percent(Ps part, Ps whole) { return Percent(part.value(), whole.value()); }

// Text leaves the host out where there is only one.
inline Column HostColumn(bool one_host, std::string_view about = "the host of the process") {
  return {"host", Type::kText, unit::kNone, {.hidden = one_host, .elastic = true}, about};
}

// All columns of bytes of a table share their unit.
inline Column BytesColumn(std::string name, std::string head, std::string_view about, bool hidden = false) {
  return {std::move(name),
          Type::kInteger,
          unit::kBytes,
          {.head = std::move(head), .hidden = hidden, .group = "bytes"},
          about};
}

inline Table NewTable(std::string name, std::string key, std::vector<Column> columns) {
  Table table;
  table.name = std::move(name);
  table.key = std::move(key);
  table.columns = std::move(columns);
  return table;
}

}  // namespace gait::report

#include "gait/report/shown.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gait/report/numbers.h"

namespace gait::report {
namespace {

std::string GridHead(const Table& table, const Column& column, const NumberStyle& style, bool first) {
  std::string head = first && !table.title.empty() ? table.title
                     : column.show.head.empty()    ? column.name
                                                   : column.show.head;
  if (!style.unit.empty()) head += " " + style.unit;
  return head;
}

}  // namespace

ShownTable ShownAsGrid(const Table& table, size_t most) {
  const size_t rows = std::min(most, table.rows.size());
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Show& show = table.columns[c].show;
    if (!show.hidden && !show.below) columns.push_back(c);
  }
  ShownTable shown;
  std::vector<NumberStyle> styles(table.columns.size());
  for (const size_t c : columns) {
    const Column& column = table.columns[c];
    // Columns of one group are shown in one unit.
    std::vector<double> values;
    for (const size_t other : columns) {
      if (other != c && (column.show.group.empty() || table.columns[other].show.group != column.show.group))
        continue;
      for (size_t r = 0; r < rows; ++r) {
        if (const auto value = table.rows[r][other].number()) values.push_back(*value);
      }
    }
    styles[c] = ChooseStyle(column, values);
    shown.heads.push_back({GridHead(table, column, styles[c], c == columns.front()),
                           column.type == Type::kInteger || column.type == Type::kNumber,
                           c == KeyColumn(table)});
  }
  const size_t depth = table.depth.empty() ? table.columns.size() : FindColumn(table, table.depth);
  for (size_t r = 0; r < rows; ++r) {
    const Row& row = table.rows[r];
    ShownTable::Line line{.cells = {}, .nested = depth < row.size() && row[depth].number().value_or(0) > 0};
    for (const size_t c : columns) line.cells.push_back(FormatCell(styles[c], row[c]));
    shown.lines.push_back(std::move(line));
  }
  return shown;
}

}  // namespace gait::report

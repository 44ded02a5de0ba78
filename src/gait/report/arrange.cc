#include "gait/report/arrange.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gait::report {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

// Rows as a forest: a table that is no tree has only roots.
struct Forest {
  std::vector<size_t> parent;                 // by row; kNone: a root
  std::vector<std::vector<size_t>> children;  // by row; the last entry holds the roots

  explicit Forest(const Table& table) : parent(table.rows.size(), kNone), children(table.rows.size() + 1) {
    const size_t depth_column = FindColumn(table, table.depth);
    std::vector<size_t> above;  // the last row of each depth
    for (size_t row = 0; row < table.rows.size(); ++row) {
      const double depth =
          depth_column == table.columns.size() ? 0 : table.rows[row][depth_column].number().value_or(0);
      above.resize(std::min(above.size(), static_cast<size_t>(std::max(depth, 0.0))));
      parent[row] = above.empty() ? kNone : above.back();
      children[parent[row] == kNone ? table.rows.size() : parent[row]].push_back(row);
      above.push_back(row);
    }
  }
};

// Whether a belongs before b. Unknown values are behind known ones in both directions.
bool Before(const Cell& a, const Cell& b, bool reverse) {
  if (a.has_text() || b.has_text()) {
    if (a.has_text() != b.has_text()) return a.has_text();
    return reverse ? b.text() < a.text() : a.text() < b.text();
  }
  const std::optional<double> x = a.number();
  const std::optional<double> y = b.number();
  if (!x || !y) return x.has_value() && !y.has_value();
  return reverse ? *x < *y : *x > *y;
}

// The column that `min` looks at; the number of columns: there is none.
size_t TimeColumnOf(const Table& table) {
  size_t any = table.columns.size();
  for (size_t c = table.columns.size(); c-- > 0;) {
    if (table.columns[c].unit == unit::kPs && table.columns[c].show.hidden) any = c;
  }
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].unit == unit::kPs && !table.columns[c].show.hidden) return c;
  }
  return any;
}

bool IsLongEnough(const Row& row, size_t column, Ps min) {
  const std::optional<double> time = row[column].number();
  return time && *time >= static_cast<double>(min.value());
}

std::vector<bool> Wanted(const Table& table, const Forest& forest, const Arrangement& arrangement) {
  const size_t key = KeyColumn(table);
  const bool by_name = arrangement.name && key < table.columns.size();
  if (!by_name && !arrangement.min) return std::vector<bool>(table.rows.size(), true);
  std::vector<bool> wanted(table.rows.size());
  const size_t time = TimeColumnOf(table);
  for (size_t row = 0; row < table.rows.size(); ++row) {
    if (by_name && !arrangement.name(table.rows[row][key].text())) continue;
    if (arrangement.min && !IsLongEnough(table.rows[row], time, *arrangement.min)) continue;
    for (size_t at = row; at != kNone && !wanted[at]; at = forest.parent[at]) wanted[at] = true;
  }
  return wanted;
}

// By the column's name, or by its head as people see it, with the unit behind it or without.
size_t SortColumn(const Table& table, const std::string& sort) {
  const size_t named = FindColumn(table, sort);
  if (named < table.columns.size()) return named;
  const auto by_head = [&](std::string_view head, bool with_unit) {
    const auto found = std::ranges::find_if(table.columns, [&](const Column& c) {
      return head == (c.show.head.empty() ? c.name : c.show.head) && (!with_unit || !c.unit.empty());
    });
    return static_cast<size_t>(found - table.columns.begin());
  };
  const size_t headed = by_head(sort, false);
  const size_t space = sort.rfind(' ');
  if (headed < table.columns.size() || space == std::string::npos) return headed;
  return by_head(std::string_view(sort).substr(0, space), true);
}

// Makes all rows of a table that are made while they are written, or those that come first. How many it left
// out.
Result<size_t> CollectSorted(Table& table, size_t column, bool reverse, size_t top) {
  constexpr size_t kMost = 100'000;
  size_t cut = 0;
  for (Row row; table.more(row); row = {}) {
    table.rows.push_back(std::move(row));
    if (table.rows.size() < (top == 0 ? kMost : 2 * top + 1000)) continue;
    if (top == 0) {
      return UsageError(
          fmt::format("{} rows and more are written as they are made and cannot be sorted.", kMost),
          "Ask for --top 100, or sort what --csv writes.");
    }
    std::ranges::stable_sort(
        table.rows, [&](const Row& a, const Row& b) { return Before(a[column], b[column], reverse); });
    cut += table.rows.size() - top;
    table.rows.resize(top);
  }
  table.more = {};
  table.more_rows = 0;
  return cut;
}

// Filters and cuts rows that are made while they are written on their way. How many it is known to leave out.
size_t ArrangeMore(Table& table, const Arrangement& arrangement) {
  const size_t top = arrangement.top.value_or(0);
  const size_t cut = top != 0 && table.more_rows > top ? table.more_rows - top : 0;
  if (top != 0) {
    table.more = [source = std::move(table.more), left = top](Row& row) mutable {
      return left > 0 && left-- > 0 && source(row);
    };
    table.more_rows = std::min<uint64_t>(table.more_rows, top);
  }
  if (arrangement.name || arrangement.min) {  // the first at once: without any the table says so
    Row first;
    if (table.more(first)) {
      table.rows.push_back(std::move(first));
    } else {
      table.more = {};
    }
  }
  return cut;
}

// Lets rows that are made while they are written pass where `wanted` says so.
template <typename IsWanted>
void FilterMore(Table& table, IsWanted wanted) {
  table.more = [source = std::move(table.more), wanted = std::move(wanted)](Row& row) mutable {
    while (source(row)) {
      if (wanted(row)) return true;
    }
    return false;
  };
  table.more_rows = 0;
}

void FilterMoreBy(Table& table, const Arrangement& arrangement) {
  if (table.more && arrangement.min) {
    FilterMore(table, [column = TimeColumnOf(table), min = *arrangement.min](const Row& row) {
      return IsLongEnough(row, column, min);
    });
  }
  if (const size_t key = KeyColumn(table); table.more && arrangement.name && key < table.columns.size()) {
    FilterMore(table, [name = arrangement.name, key](const Row& row) { return name(row[key].text()); });
  }
}

// How rows are sorted; no column: as they are.
struct Order {
  std::optional<size_t> column{};
  bool reverse = false;
};

Result<Order> OrderOf(const Table& table, const Arrangement& arrangement) {
  const bool reverse = arrangement.sort.starts_with('-');
  const std::string sort = arrangement.sort.substr(reverse ? 1 : 0);
  if (sort.empty()) return Order{};
  const size_t column = SortColumn(table, sort);
  if (column < table.columns.size()) return Order{column, reverse};
  std::vector<std::string_view> names;
  for (const Column& c : table.columns) names.emplace_back(c.name);
  return UsageError(fmt::format("there is no column '{}' to sort by.", sort),
                    fmt::format("The columns are: {}", fmt::join(names, ", ")));
}

// The wanted rows of a table in order, of each parent the first so many, each with what is below it.
std::vector<Row> TakeInOrder(Table& table, Forest forest, const std::vector<bool>& wanted, Order order,
                             size_t top) {
  std::vector<Row> rows;
  std::vector<size_t> pending;  // rows still to be written, the next one last
  const auto push = [&](std::vector<size_t>& siblings) {
    std::erase_if(siblings, [&](size_t row) { return !wanted[row]; });
    if (order.column) {
      std::ranges::stable_sort(siblings, [&](size_t a, size_t b) {
        return Before(table.rows[a][*order.column], table.rows[b][*order.column], order.reverse);
      });
    }
    if (top != 0 && siblings.size() > top) siblings.resize(top);
    pending.insert(pending.end(), siblings.rbegin(), siblings.rend());
  };
  push(forest.children.back());
  while (!pending.empty()) {
    const size_t row = pending.back();
    pending.pop_back();
    rows.push_back(std::move(table.rows[row]));
    push(forest.children[row]);
  }
  return rows;
}

}  // namespace

Result<void> Arrange(Table& table, const Arrangement& arrangement) {
  GAIT_TRY(const Order order, OrderOf(table, arrangement));
  if (arrangement.min && TimeColumnOf(table) == table.columns.size()) {
    return UsageError(fmt::format("the table {} has no times that could be too short.", table.name),
                      "Leave --min out, or take another --table.");
  }
  const bool any = !table.rows.empty() || table.more;
  const size_t top = arrangement.top.value_or(0);
  size_t cut = 0;
  FilterMoreBy(table, arrangement);
  if (table.more && order.column) {
    GAIT_TRY(cut, CollectSorted(table, *order.column, order.reverse, top));
  } else if (table.more) {
    cut = ArrangeMore(table, arrangement);
  }
  Forest forest(table);
  const std::vector<bool> wanted = Wanted(table, forest, arrangement);
  std::vector<Row> rows = TakeInOrder(table, std::move(forest), wanted, order, top);
  if (arrangement.top) table.text_rows = 0;
  table.cut = cut + static_cast<size_t>(std::ranges::count(wanted, true)) - rows.size();
  if (rows.empty() && any && arrangement.min) table.if_empty = "no row takes so long";
  if (rows.empty() && any && arrangement.name) table.if_empty = "no row has such a name";
  table.rows = std::move(rows);
  return {};
}

}  // namespace gait::report

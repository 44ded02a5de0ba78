// TableOf<R>: a table whose columns are declared once, each with its name, look, meaning and getter together.
// A getter takes a const R& and may capture what the table has beside its rows: totals, the number of steps.
// It is a lambda or a pointer to a member; its result is the column's type:
//
//   Ps → integer in ps     integers → integer     floating point → number     strings → text
//   bool → "yes" or "no"   CellOf<T> → as T, or unknown with a reason          Cell → any
//
//   TableOf<Kernel> t({.name = "kernels", .key = "name"});
//   t.Add("count", "how often it ran", &Kernel::count);
//   t.Percent("share", {.head = "of kernels"}, "its part of the time of all kernels",
//             [&](const Kernel& k) { return Percent(k.total, all); });
//   return t.Of(kernels);
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/table.h"

namespace gait::report {

// A cell of known type: a T (Ps, int64_t, uint64_t, double, std::string), or unknown with a reason.
template <typename T>
class CellOf : public Cell {
 public:
  template <typename V>
    requires std::convertible_to<V, T> ||
             (std::same_as<T, std::string> && std::convertible_to<V, std::string_view>)
  CellOf(V value) : Cell(static_cast<T>(std::move(value))) {}
  CellOf(Unknown unknown) : Cell(std::move(unknown)) {}
  CellOf(const std::optional<T>& value, std::string why)
      : Cell(value ? Cell(*value) : Cell(Unknown{std::move(why)})) {}

  CellOf ShownAs(std::string shown) && {
    static_cast<Cell&>(*this) = static_cast<Cell&&>(*this).ShownAs(std::move(shown));
    return std::move(*this);
  }
};
using TextCell = CellOf<std::string>;
using TimeCell = CellOf<Ps>;
using NumberCell = CellOf<double>;

template <typename T>
CellOf<T> OrUnknown(const std::optional<T>& value, std::string why) {
  return {value, std::move(why)};
}
// Of text that is empty where nobody knows.
inline TextCell OrUnknown(std::string text, std::string why) {
  return text.empty() ? TextCell(Unknown{std::move(why)}) : TextCell(std::move(text));
}

// What a getter's result says about its column.
struct ColumnType {
  Type type = Type::kText;
  std::string_view unit = unit::kNone;
};
template <typename V>
constexpr ColumnType ColumnTypeOf(const V*) {
  if constexpr (std::same_as<V, Cell>) return {Type::kAny};
  if constexpr (std::same_as<V, Ps>) return {Type::kInteger, unit::kPs};
  if constexpr (std::same_as<V, bool>) return {Type::kText};
  if constexpr (std::integral<V>) return {Type::kInteger};
  if constexpr (std::floating_point<V>) return {Type::kNumber};
  return {Type::kText};
}
template <typename T>
constexpr ColumnType ColumnTypeOf(const CellOf<T>*) {
  return ColumnTypeOf(static_cast<const T*>(nullptr));
}

template <typename V>
Cell ToCell(V&& value) {
  using T = std::remove_cvref_t<V>;
  if constexpr (std::same_as<T, bool>) {
    return value ? "yes" : "no";
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<int64_t>(value);
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<uint64_t>(value);
  } else {
    return std::forward<V>(value);
  }
}

template <typename R>
class TableOf {
 public:
  using Getter = std::function<Cell(const R&)>;

  // Everything but columns and rows.
  explicit TableOf(Table table) : table_(std::move(table)) {}

  // --- columns, in the order of the table ---

  template <typename F>
  void Add(std::string name, std::string_view unit, Show show, std::string_view about, F get) {
    using Value = std::remove_cvref_t<std::invoke_result_t<F, const R&>>;
    constexpr ColumnType kType = ColumnTypeOf(static_cast<const Value*>(nullptr));
    if (unit.empty()) unit = kType.unit;
    table_.columns.push_back({std::move(name), kType.type, unit, std::move(show), about});
    getters_.push_back(
        [get = std::move(get)](const R& row) -> Cell { return ToCell(std::invoke(get, row)); });
  }
  template <typename F>
  void Add(std::string name, Show show, std::string_view about, F get) {
    Add(std::move(name), unit::kNone, std::move(show), about, std::move(get));
  }
  template <typename F>
  void Add(std::string name, std::string_view about, F get) {
    Add(std::move(name), Show{}, about, std::move(get));
  }
  template <typename F>
  void Percent(std::string name, Show show, std::string_view about, F get) {
    Add(std::move(name), unit::kPercent, std::move(show), about, std::move(get));
  }
  template <typename F>
  void Percent(std::string name, std::string_view about, F get) {
    Percent(std::move(name), Show{}, about, std::move(get));
  }
  // Times that are shown in one unit.
  template <typename F>
  void Time(std::string name, Show show, std::string_view about, F get) {
    show.group = "time";
    Add(std::move(name), std::move(show), about, std::move(get));
  }
  template <typename F>
  void Time(std::string name, std::string_view about, F get) {
    Time(std::move(name), Show{}, about, std::move(get));
  }
  // All columns of bytes of a table share their unit.
  template <typename F>
  void Bytes(std::string name, Show show, std::string_view about, F get) {
    show.group = "bytes";
    Add(std::move(name), unit::kBytes, std::move(show), about, std::move(get));
  }
  template <typename F>
  void Bytes(std::string name, std::string_view about, F get) {
    Bytes(std::move(name), Show{}, about, std::move(get));
  }
  // Only in JSON and CSV.
  template <typename F>
  void Hidden(std::string name, std::string_view unit, std::string_view about, F get) {
    Add(std::move(name), unit, {.hidden = true}, about, std::move(get));
  }
  template <typename F>
  void Hidden(std::string name, std::string_view about, F get) {
    Hidden(std::move(name), unit::kNone, about, std::move(get));
  }
  // The columns of a part of each row: `part` is a pointer to a member, or a function.
  template <typename P, typename F>
  void Include(TableOf<P> columns, F part) {
    for (size_t i = 0; i < columns.getters_.size(); ++i) {
      table_.columns.push_back(std::move(columns.table_.columns[i]));
      getters_.push_back([get = std::move(columns.getters_[i]), part](const R& row) -> Cell {
        return get(std::invoke(part, row));
      });
    }
  }

  // --- rows ---

  void Row(const R& row) { table_.rows.push_back(Cells(getters_, row)); }
  template <typename Range>
  void Rows(const Range& rows) {
    for (const R& row : rows) Row(row);
  }
  template <typename Range>
  Table Of(const Range& rows) {
    Rows(rows);
    return Done();
  }
  // Rows that are made while the table is written, until `next` gives none. The getters live on with the
  // table.
  Table From(std::function<std::optional<R>()> next, uint64_t rows) {
    table_.more_rows = rows;
    table_.more = [getters = getters_, next = std::move(next)](report::Row& cells) {
      const std::optional<R> row = next();
      if (row) cells = Cells(getters, *row);
      return row.has_value();
    };
    return Done();
  }
  Table Done() { return std::move(table_); }

 private:
  template <typename>
  friend class TableOf;

  static report::Row Cells(const std::vector<Getter>& getters, const R& row) {
    report::Row cells;
    cells.reserve(getters.size());
    for (const Getter& get : getters) cells.push_back(get(row));
    return cells;
  }

  Table table_;
  std::vector<Getter> getters_;
};

}  // namespace gait::report

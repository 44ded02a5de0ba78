#include "gait/report/table_options.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/base/parse_time.h"
#include "gait/base/pattern.h"
#include "gait/report/arrange.h"
#include "gait/report/numbers.h"

namespace gait::report {
namespace {

Result<Ps> ParseLeastTime(const std::string& text) {
  GAIT_TRY(const Ps time, ParseTime(text));
  if (time < Ps()) return UsageError(fmt::format("'{}' is negative.", text), "Give a time such as 10ms.");
  return time;
}

// Leaves only the wanted table, whole.
Result<void> KeepTable(Document& document, const std::string& name) {
  const Table* table = FindTable(document, name);
  if (table == nullptr) {
    std::vector<std::string_view> names;
    for (const Table& t : document.tables) names.push_back(t.name);
    return UsageError(fmt::format("{} has no table '{}'.", document.verb, name),
                      fmt::format("It has: {}", fmt::join(names, ", ")));
  }
  Table kept = *table;
  kept.hidden = false;
  kept.text_rows = 0;
  document.tables = {std::move(kept)};
  document.texts.clear();
  return {};
}

// Sorts, filters and cuts the table that was asked for, or the main one.
Result<void> ArrangeRows(Document& document, const TableOptions& options) {
  Arrangement arrangement{.sort = options.sort, .top = options.top};
  GAIT_TRY(const Pattern pattern, Pattern::Compile(options.name));
  if (!options.name.empty()) {
    arrangement.name = [pattern](const std::string& name) { return pattern.Matches(name); };
  }
  if (!options.min.empty()) {
    GAIT_TRY(arrangement.min, ParseLeastTime(options.min));
  }
  const auto arrange = [&](const std::string& name, const Arrangement& how) -> Result<void> {
    const Table* table = FindTable(document, name);
    if (table == nullptr) return {};
    return Arrange(document.tables[static_cast<size_t>(table - document.tables.data())], how);
  };
  if (options.table.empty() && !document.cut_table.empty()) {
    GAIT_CHECK_OK(arrange(document.cut_table, {.top = std::exchange(arrangement.top, std::nullopt)}));
  }
  const auto rows = [&] {
    const Table* table = FindTable(document, options.table);
    return table == nullptr || table->more ? 0 : table->rows.size();
  };
  if (arrangement.min) {
    const size_t before = rows();
    GAIT_CHECK_OK(arrange(options.table, {.min = arrangement.min}));
    if (rows() < before) {
      document.notes.push_back(fmt::format("{} below {} left out (--min)", Plural(before - rows(), "row"),
                                           TimeText(*arrangement.min)));
    }
    arrangement.min.reset();
  }
  return arrange(options.table, arrangement);
}

}  // namespace

Result<void> ChooseRows(Document& document, const TableOptions& options) {
  const Table* main = FindTable(document, "");
  const bool some = options.top || !options.sort.empty() || !options.name.empty() || !options.min.empty();
  if (!options.table.empty()) {
    GAIT_CHECK_OK(KeepTable(document, options.table));
  } else if (some && main != nullptr && main->hidden && !document.texts.empty()) {
    GAIT_CHECK_OK(KeepTable(document, main->name));  // the text tells of all rows, and some were asked for
  }
  GAIT_CHECK_OK(ArrangeRows(document, options));
  document.explain = options.explain;
  return {};
}

}  // namespace gait::report

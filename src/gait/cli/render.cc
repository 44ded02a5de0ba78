#include "gait/cli/render.h"

#include <unistd.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/report/output.h"
#include "gait/report/terminal.h"
#include "gait/report/text.h"

namespace gait::cli {
namespace {

// Leaves only the wanted table, whole.
Result<void> KeepTable(report::Document& document, const std::string& name) {
  const report::Table* table = report::FindTable(document, name);
  if (table == nullptr) {
    std::vector<std::string_view> names;
    for (const report::Table& t : document.tables) names.push_back(t.name);
    return UsageError(fmt::format("{} has no table '{}'.", document.verb, name),
                      fmt::format("It has: {}", fmt::join(names, ", ")));
  }
  report::Table kept = *table;
  kept.hidden = false;
  kept.text_rows = 0;
  document.tables = {std::move(kept)};
  document.texts.clear();
  return {};
}

}  // namespace

Result<void> Render(report::Document document, const CommonOptions& options) {
  if (!options.table.empty()) GAIT_CHECK_OK(KeepTable(document, options.table));
  report::Output out(STDOUT_FILENO);
  if (options.json) {
    report::WriteJson(document, out);
  } else if (options.csv) {
    if (const report::Table* table = report::FindTable(document, options.table))
      report::WriteCsv(*table, out);
  } else {
    report::WriteText(document,
                      {.width = options.width.value_or(report::TerminalWidth(STDOUT_FILENO)),
                       .color = report::WantsColor(STDOUT_FILENO)},
                      out);
  }
  return out.Finish();
}

}  // namespace gait::cli

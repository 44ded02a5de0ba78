#include "gait/cli/render.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/pattern.h"
#include "gait/report/arrange.h"
#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"
#include "gait/report/output.h"
#include "gait/report/progress.h"
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

// Sorts, filters and cuts the table that was asked for, or the main one.
Result<void> ArrangeRows(report::Document& document, const CommonOptions& options) {
  report::Arrangement arrangement{.sort = options.sort, .top = options.top};
  GAIT_TRY(const analyze::Pattern pattern, analyze::Pattern::Compile(options.name));
  if (!options.name.empty()) {
    arrangement.name = [&](const std::string& name) { return pattern.Matches(name); };
  }
  const report::Table* table = report::FindTable(document, options.table);
  if (table == nullptr) return {};
  return report::Arrange(document.tables[static_cast<size_t>(table - document.tables.data())], arrangement);
}

// Tables that are made while they are written report how far they are.
void ReportProgress(report::Table& table, report::Progress& progress) {
  constexpr uint64_t kRowsBetween = 256;
  if (!table.more || table.more_rows == 0) return;
  table.more = [source = std::move(table.more), &progress, done = uint64_t{0},
                all = static_cast<double>(table.more_rows)](report::Row& row) mutable {
    if (done++ % kRowsBetween == 0) progress.Report(static_cast<double>(done) / all);
    return source(row);
  };
}

size_t TextWidth(const report::Document& document, const CommonOptions& options) {
  if (options.width) return *options.width;
  return document.whole && ::isatty(STDOUT_FILENO) == 0 ? 0 : report::TerminalWidth(STDOUT_FILENO);
}

}  // namespace

Result<void> Render(report::Document document, const CommonOptions& options) {
  if (!options.table.empty()) GAIT_CHECK_OK(KeepTable(document, options.table));
  GAIT_CHECK_OK(ArrangeRows(document, options));
  document.explain = options.explain;
  uint64_t rows = 0;
  for (const report::Table& table : document.tables) rows += table.more_rows;
  // Rows that come onto a terminal are their own progress.
  report::Progress progress(STDERR_FILENO, "writing " + report::Plural(rows, "row"),
                            options.quiet || ::isatty(STDOUT_FILENO) == 1);
  for (report::Table& table : document.tables) ReportProgress(table, progress);
  report::Output out(STDOUT_FILENO);
  if (options.json) {
    report::WriteJson(document, out);
  } else if (options.csv) {
    // A CSV has no place for them, and its reader has to know.
    uint64_t lost = 0;
    for (const Loss& loss : document.losses) lost += loss.count;
    if (lost > 0) {
      const std::string text = fmt::format(
          "gait: {} on the way; the text and --json say what.\n",
          report::Plural(lost, "thing") + (lost == 1 ? " was lost or changed" : " were lost or changed"));
      std::fputs(text.c_str(), stderr);
    }
    if (const report::Table* table = report::FindTable(document, options.table))
      report::WriteCsv(*table, out);
  } else {
    report::WriteText(
        document, {.width = TextWidth(document, options), .color = report::WantsColor(STDOUT_FILENO)}, out);
  }
  return out.Finish();
}

}  // namespace gait::cli

#include "gait/cli/render.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"
#include "gait/report/output.h"
#include "gait/report/progress.h"
#include "gait/report/terminal.h"
#include "gait/report/text.h"

namespace gait::cli {
namespace {

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
  GAIT_CHECK_OK(report::ChooseRows(document, options.rows));
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
    if (const report::Table* table = report::FindTable(document, options.rows.table))
      report::WriteCsv(*table, out);
  } else {
    report::WriteText(
        document, {.width = TextWidth(document, options), .color = report::WantsColor(STDOUT_FILENO)}, out);
  }
  return out.Finish();
}

}  // namespace gait::cli

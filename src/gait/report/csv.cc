#include "gait/report/csv.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gait/report/unicode.h"

namespace gait::report {
namespace {

// A spreadsheet would run a text that begins so: an apostrophe makes it text there, too. Those for East Asian
// scripts take the wide forms (U+FF1D, U+FF0B, U+FF0D, U+FF20) for the plain ones. export.ts has the same
// list.
constexpr std::array<std::string_view, 11> kFormulaBegins{
    "=", "+", "-", "@", "\t", "\r", "\n", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};

bool IsFormula(std::string_view text) {
  return std::ranges::any_of(kFormulaBegins, [&](std::string_view begin) { return text.starts_with(begin); });
}

std::string Field(std::string_view text) {
  std::string valid = (IsFormula(text) ? "'" : "") + ValidUtf8(text);
  // Where a comma is the decimal point a spreadsheet takes ; for the border of cells, and some take tabs.
  if (valid.find_first_of(",;\t\"\r\n") == std::string::npos) return valid;
  std::string out = "\"";
  for (const char c : valid) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string Value(const Cell& cell) { return cell.has_text() ? Field(cell.text()) : cell.RawNumber(); }
void WriteRow(const Row& row, Output& out) {
  bool first = true;
  for (const Cell& cell : row) {
    if (!first) out.Write(",");
    first = false;
    out.Write(Value(cell));
  }
  out.Write("\r\n");
}

}  // namespace

void WriteCsv(const Table& table, Output& out) {
  bool first = true;
  for (const Column& column : table.columns) {
    if (!first) out.Write(",");
    first = false;
    out.Write(Field(column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit)));
  }
  out.Write("\r\n");
  for (const Row& row : table.rows) WriteRow(row, out);
  Row row;
  while (table.more && out.open() && table.more(row)) {
    WriteRow(row, out);
    row.clear();
  }
}

}  // namespace gait::report

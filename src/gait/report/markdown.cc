#include "gait/report/markdown.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gait/report/numbers.h"
#include "gait/report/shown.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

// Text that means nothing to Markdown.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    if (std::string_view("|*_`<>[]#\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void AddTable(const Table& table, size_t most, std::string& out) {
  if (table.rows.empty()) return;
  if (table.text_rows != 0) most = std::min(most, table.text_rows);
  const ShownTable shown = ShownAsGrid(table, most);
  std::string heads = "|";
  std::string rule = "|";
  for (const ShownTable::Head& head : shown.heads) {
    heads += fmt::format(" {} |", Plain(head.text));
    rule += head.number ? "--:|" : "---|";
  }
  out += "\n" + heads + "\n" + rule + "\n";
  for (const ShownTable::Line& line : shown.lines) {
    out += "|";
    for (size_t c = 0; c < line.cells.size(); ++c) {
      const std::string_view indent = line.nested && shown.heads[c].key ? "&emsp;" : "";
      out += fmt::format(" {}{} |", indent, Plain(line.cells[c]));
    }
    out += "\n";
  }
  const size_t left = table.rows.size() - shown.lines.size();
  if (left > 0) out += fmt::format("\n… and {} more\n", CountText(left));
}

// Paragraphs of a card: lines that begin with a space are code.
void AddParagraph(std::string_view label, std::string_view text, std::string& out) {
  out += "\n";
  if (!label.empty()) out += fmt::format("**{}** ", Plain(label));
  bool code = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_code = line.starts_with(' ');
    if (is_code != code) out += is_code ? "\n```\n" : "```\n\n";
    code = is_code;
    out += (is_code ? Printable(line) : Plain(line)) + "\n";
  }
  if (code) out += "```\n";
}

void AddList(std::string_view label, std::string_view text, std::string& out) {
  out += fmt::format("\n**{}**\n\n", Plain(label));
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("- {}\n", Plain(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void AddCards(const Table& table, size_t most, std::string& out) {
  const size_t key = KeyColumn(table);
  for (size_t r = 0; r < std::min(most, table.rows.size()); ++r) {
    const Row& row = table.rows[r];
    std::string figures;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Show& show = table.columns[c].show;
      if (show.hidden || show.below || c == key || row[c].kind() == Cell::Kind::kUnknown) continue;
      figures += (figures.empty() ? "" : ", ") + Plain(FormatCell({}, row[c]));
    }
    out += fmt::format("\n### {}. {} ({})\n", r + 1, Plain(row[key].text()), figures);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (!table.columns[c].show.below) continue;
      if (row[c].kind() == Cell::Kind::kJson) {
        AddList(table.columns[c].show.head, row[c].text(), out);
      } else {
        AddParagraph(table.columns[c].show.head, row[c].text(), out);
      }
    }
  }
}

}  // namespace

std::string MarkdownText(const Document& document, const MarkdownOptions& options) {
  std::string out;
  if (!options.heading.empty()) out += fmt::format("## {}\n\n", Plain(options.heading));
  for (const std::string& warning : document.warnings) out += fmt::format("> {}\n\n", Plain(warning));
  if (!document.answer.empty()) out += fmt::format("**{}**\n", Plain(document.answer));
  for (const Table& table : document.tables) {
    if (table.hidden) continue;
    if (table.cards) {
      AddCards(table, options.most_rows, out);
    } else {
      AddTable(table, options.most_rows, out);
    }
  }
  return out;
}

}  // namespace gait::report

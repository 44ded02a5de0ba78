#include "gait/report/markdown.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gait/report/numbers.h"
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

std::string HeadOf(const Column& column, const NumberStyle& style, bool first, const Table& table) {
  std::string head = first && !table.title.empty() ? table.title
                     : column.show.head.empty()    ? column.name
                                                   : column.show.head;
  if (!style.unit.empty()) head += " " + style.unit;
  return Plain(head);
}

bool IsNumber(const Column& column) { return column.type == Type::kInteger || column.type == Type::kNumber; }

void AddTable(const Table& table, size_t most, std::string& out) {
  if (table.rows.empty()) return;
  size_t shown = table.text_rows == 0 ? table.rows.size() : std::min(table.text_rows, table.rows.size());
  shown = std::min(shown, most);
  std::vector<size_t> columns;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Show& show = table.columns[c].show;
    if (!show.hidden && !show.below) columns.push_back(c);
  }
  const size_t depth = table.depth.empty() ? table.columns.size() : FindColumn(table, table.depth);
  std::string heads = "|";
  std::string rule = "|";
  std::vector<NumberStyle> styles(table.columns.size());
  for (const size_t c : columns) {
    // Columns of one group are shown in one unit.
    std::vector<double> values;
    const std::string_view group = table.columns[c].show.group;
    for (const size_t other : columns) {
      if (other != c && (group.empty() || table.columns[other].show.group != group)) continue;
      for (size_t r = 0; r < shown; ++r) {
        if (const auto value = table.rows[r][other].number()) values.push_back(*value);
      }
    }
    styles[c] = ChooseStyle(table.columns[c], values);
    heads += fmt::format(" {} |", HeadOf(table.columns[c], styles[c], c == columns.front(), table));
    rule += IsNumber(table.columns[c]) ? "--:|" : "---|";
  }
  out += "\n" + heads + "\n" + rule + "\n";
  for (size_t r = 0; r < shown; ++r) {
    const Row& row = table.rows[r];
    out += "|";
    for (const size_t c : columns) {
      std::string text = Plain(FormatCell(styles[c], row[c]));
      if (c == KeyColumn(table) && depth < row.size() && row[depth].number().value_or(0) > 0)
        text = "&emsp;" + text;
      out += fmt::format(" {} |", text);
    }
    out += "\n";
  }
  if (shown < table.rows.size())
    out += fmt::format("\n… and {} more\n", CountText(table.rows.size() - shown));
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

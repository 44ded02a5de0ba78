#include "gait/report/cards.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gait/report/numbers.h"
#include "gait/report/text_layout.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

constexpr size_t kLabel = 10;        // cells of a label with its gap
constexpr size_t kTextIndent = 5;    // cells before text below a heading
constexpr size_t kPlainWidth = 100;  // where lines have no limit

// The lines of a paragraph, each wrapped.
void AddParagraph(std::string_view label, std::string_view text, size_t width,
                  std::vector<std::string>& lines) {
  const std::string indent(kTextIndent + (label.empty() ? 0 : kLabel), ' ');
  std::string head =
      label.empty() ? indent : std::string(kTextIndent, ' ') + fmt::format("{:<{}}", label, kLabel);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string line = Printable(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string wrapped = line.starts_with(' ') ? head + line + "\n" : WrapBehind(head, line, width);
    head = indent;
    std::string_view rest = wrapped;
    while (!rest.empty()) {
      const size_t stop = rest.find('\n');
      lines.emplace_back(rest.substr(0, stop));
      rest.remove_prefix(std::min(stop + 1, rest.size()));
    }
  }
}

std::string Padded(const std::string& text, size_t width) {
  const size_t used = DisplayWidth(text);
  return std::string(width > used ? width - used : 0, ' ') + text;
}

}  // namespace

std::vector<Card> MakeCards(const Table& table, size_t width) {
  const size_t key = KeyColumn(table);
  std::vector<size_t> figures;
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Show& show = table.columns[c].show;
    if (show.hidden || show.below || c == key) continue;
    figures.push_back(c);
  }
  std::vector<std::vector<std::string>> texts;
  std::vector<NumberStyle> styles(table.columns.size());
  for (const size_t c : figures) {
    std::vector<double> values;
    for (const Row& row : table.rows) {
      if (const auto value = row[c].number()) values.push_back(*value);
    }
    styles[c] = ChooseStyle(table.columns[c], values);
    size_t widest = 0;
    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell& cell = table.rows[r][c];
      std::string text = FormatCell(styles[c], cell);
      const bool unit = cell.number().has_value() && cell.shown().empty() && !styles[c].unit.empty();
      if (unit) text += " " + styles[c].unit;
      widest = std::max(widest, DisplayWidth(text));
      if (texts.size() <= r) texts.resize(r + 1);
      texts[r].push_back(std::move(text));
    }
    widths.push_back(widest);
  }
  std::vector<Card> cards;
  for (size_t r = 0; r < table.rows.size(); ++r) {
    const Row& row = table.rows[r];
    Card card;
    std::string right;
    for (size_t f = 0; f < figures.size(); ++f) right += "  " + Padded(texts[r][f], widths[f]);
    const std::string left = fmt::format("{:>3}  {}", r + 1, Printable(row[key].text()));
    const size_t line = width == 0 ? kPlainWidth : width;
    const size_t used = DisplayWidth(left) + DisplayWidth(right);
    card.heading =
        used <= line ? left + std::string(line - used, ' ') + right : left + "\n" + Padded(right, line);
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].show.below)
        AddParagraph(table.columns[c].show.head, row[c].shown().empty() ? row[c].text() : row[c].shown(),
                     width, card.lines);
    }
    cards.push_back(std::move(card));
  }
  return cards;
}

}  // namespace gait::report

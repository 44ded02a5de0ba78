#include "gait/report/text.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/report/cards.h"
#include "gait/report/numbers.h"
#include "gait/report/text_layout.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

constexpr size_t kPage = 4096;  // rows that decide the layout of a table made while it is written
constexpr size_t kMaxReasons = 4;
constexpr size_t kMaxLossLines = 8;  // --json has them all
constexpr size_t kMaxWarnings = 8;

enum class Weight { kPlain, kBold, kDim, kAlert };

// Why cells of a table read –: each reason once, in the order of the rows.
std::vector<std::string> UnknownReasons(const TableLayout& layout, std::span<const Row> rows) {
  std::vector<std::string> reasons;
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i].kind() != Cell::Kind::kUnknown || row[i].text().empty() || !row[i].shown().empty() ||
          !layout.shows(i)) {
        continue;
      }
      if (std::find(reasons.begin(), reasons.end(), row[i].text()) == reasons.end())
        reasons.push_back(row[i].text());
      if (reasons.size() == kMaxReasons) return reasons;
    }
  }
  return reasons;
}

// What stands above a column, without its unit.
std::string HeadOf(const Column& column) { return column.show.head.empty() ? column.name : column.show.head; }

class TextWriter {
 public:
  TextWriter(const TextOptions& options, Output& out) : options_(options), out_(out) {}

  // A paragraph is set apart by one empty line; the first one of a report is not.
  void Paragraph() {
    if (begun_) out_.Write("\n");
    begun_ = true;
  }

  void Lines(std::string_view text, Weight weight, std::string_view indent = "") {
    const std::string wrapped = Wrap(text, options_.width, indent);
    std::string_view rest = wrapped;
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      out_.Write(Colored(rest.substr(0, end), weight));
      out_.Write("\n");
      rest.remove_prefix(end + 1);
    }
  }

  void WriteTable(const Table& table);
  void WriteCards(const Table& table);
  void Explain(const Table& table);
  void WriteBlock(const TextBlock& block);

 private:
  std::string Colored(std::string_view text, Weight weight) const {
    if (!options_.color || weight == Weight::kPlain) return std::string(text);
    const std::string_view code = weight == Weight::kBold ? "1" : weight == Weight::kDim ? "2" : "33";
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }

  const TextOptions& options_;
  Output& out_;
  bool begun_ = false;
};

// The rows that text shows: the first ones, of a tree the heaviest. A row weighs no less than those below it,
// so every row's parent is shown too.
std::vector<Row> FirstPage(const Table& table) {
  const size_t count =
      table.text_rows == 0 ? table.rows.size() : std::min(table.text_rows, table.rows.size());
  std::vector<size_t> order(table.rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (const size_t weight = FindColumn(table, table.weight); weight < table.columns.size()) {
    std::ranges::stable_sort(order, std::greater(),
                             [&](size_t row) { return table.rows[row][weight].number().value_or(0); });
  }
  order.resize(count);
  std::ranges::sort(order);
  std::vector<Row> page;
  page.reserve(count);
  for (const size_t row : order) page.push_back(table.rows[row]);
  return page;
}

void TextWriter::WriteTable(const Table& table) {
  std::vector<Row> page = FirstPage(table);
  const size_t shown = page.size();
  bool more = static_cast<bool>(table.more);
  const auto fill = [&] {
    while (more && page.size() < kPage) {
      Row row;
      more = table.more(row);
      if (more) page.push_back(std::move(row));
    }
  };
  fill();
  if (page.empty()) {
    if (table.if_empty.empty()) return;
    Paragraph();
    Lines(table.if_empty, Weight::kPlain, "  ");
    return;
  }
  Paragraph();
  const TableLayout layout(table, page, options_.width);
  const std::vector<std::string> reasons = UnknownReasons(layout, page);
  if (const std::string head = layout.Head(); !head.empty() && !table.headless)
    out_.Write(Colored(head, Weight::kDim) + "\n");
  while (!page.empty() && out_.open()) {
    for (const Row& row : page) {
      out_.Write(layout.Line(row));
      out_.Write("\n");
      if (const std::string below = layout.Below(row); !below.empty()) {
        out_.Write(Colored(std::string_view(below).substr(0, below.size() - 1), Weight::kDim));
        out_.Write("\n");
      }
    }
    page.clear();
    fill();
  }
  if (!reasons.empty()) {
    Lines(Printable(fmt::format("– unknown: {}", fmt::join(reasons, "; "))), Weight::kDim, "  ");
  }
  if (shown < table.rows.size()) {
    Lines(
        fmt::format("… and {} more (--table {} shows all)", CountText(table.rows.size() - shown), table.name),
        Weight::kDim, "  ");
  }
  if (table.cut > 0) {
    Lines(fmt::format("… and {} more (--top 0 shows all)", CountText(table.cut)), Weight::kDim, "  ");
  }
  if (!layout.left_out().empty()) {
    Lines(fmt::format("too narrow for: {} (--csv has all columns)", fmt::join(layout.left_out(), ", ")),
          Weight::kDim, "  ");
  }
}

void TextWriter::WriteCards(const Table& table) {
  size_t left = table.text_rows == 0 ? table.rows.size() : std::min(table.text_rows, table.rows.size());
  for (const Card& card : MakeCards(table, options_.width)) {
    if (left-- == 0) break;
    Paragraph();
    out_.Write(Colored(card.heading, Weight::kBold) + "\n");
    for (const std::string& line : card.lines) out_.Write(line + "\n");
  }
}

void TextWriter::Explain(const Table& table) {
  const auto head_of = [&](const Column& column) {
    return &column == table.columns.data() && !table.title.empty() ? table.title : HeadOf(column);
  };
  size_t widest = 0;
  for (const Column& column : table.columns) {
    if (!column.about.empty() && !column.show.hidden)
      widest = std::max(widest, DisplayWidth(head_of(column)));
  }
  if (widest == 0) return;
  Paragraph();
  for (const Column& column : table.columns) {
    if (column.about.empty() || column.show.hidden) continue;
    const std::string head = head_of(column);
    const std::string gap(widest - DisplayWidth(head) + 2, ' ');
    out_.Write(WrapBehind("  " + head + gap, column.about, options_.width));
  }
}

void TextWriter::WriteBlock(const TextBlock& block) {
  Paragraph();
  // Programs are read with a pager and searched: they are not cut, but each line is made printable.
  std::string_view rest = block.text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    out_.Write(Printable(rest.substr(0, end)));
    out_.Write("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void WriteLosses(const std::vector<Loss>& losses, TextWriter& writer) {
  if (losses.empty()) {
    writer.Lines("nothing was lost", Weight::kDim, "  ");
    return;
  }
  writer.Lines("lost or changed on the way:", Weight::kAlert, "  ");
  for (size_t i = 0; i < losses.size() && i < kMaxLossLines; ++i) {
    const Loss& loss = losses[i];
    writer.Lines(Printable(LossText(loss, CountText(loss.count))), Weight::kAlert, "    ");
  }
  if (losses.size() > kMaxLossLines) {
    writer.Lines(fmt::format("and {} more (--json lists all)", losses.size() - kMaxLossLines), Weight::kAlert,
                 "    ");
  }
}

// On one line where they fit, else one below the other: a command is there to be copied whole.
void WriteNext(const std::vector<std::string>& commands, size_t width, TextWriter& writer) {
  if (commands.empty()) return;
  const std::string line = fmt::format("more: {}", fmt::join(commands, " · "));
  if (width == 0 || DisplayWidth(line) + 2 <= width) {
    writer.Lines(Printable(line), Weight::kDim, "  ");
    return;
  }
  writer.Lines("more:", Weight::kDim, "  ");
  for (const std::string& command : commands) writer.Lines(Printable(command), Weight::kDim, "    ");
}

}  // namespace

void WriteText(const Document& document, const TextOptions& options, Output& out) {
  TextWriter writer(options, out);
  if (!document.warnings.empty()) {
    writer.Paragraph();
    for (size_t i = 0; i < document.warnings.size() && i < kMaxWarnings; ++i)
      writer.Lines(Printable(document.warnings[i]), Weight::kAlert);
    if (document.warnings.size() > kMaxWarnings) {
      writer.Lines(fmt::format("and {} more (--json lists all)", document.warnings.size() - kMaxWarnings),
                   Weight::kAlert);
    }
  }
  if (!document.context.empty()) {
    writer.Paragraph();
    writer.Lines(Printable(document.context), Weight::kDim);
  }
  if (!document.answer.empty()) {
    writer.Paragraph();
    writer.Lines(Printable(document.answer), Weight::kBold);
  }
  for (const Table& table : document.tables) {
    if (table.hidden) continue;
    if (table.cards) {
      writer.WriteCards(table);
    } else {
      writer.WriteTable(table);
    }
    if (document.explain) writer.Explain(table);
  }
  for (const TextBlock& block : document.texts) writer.WriteBlock(block);
  if (!document.notes.empty() || document.read_events || !document.next.empty()) writer.Paragraph();
  for (const std::string& note : document.notes) writer.Lines(Printable(note), Weight::kPlain, "  ");
  if (document.read_events) WriteLosses(document.losses, writer);
  WriteNext(document.next, options.width, writer);
}

}  // namespace gait::report

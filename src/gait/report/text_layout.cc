#include "gait/report/text_layout.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "gait/report/path_cut.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

constexpr size_t kIndent = 2;
constexpr size_t kGap = 2;
constexpr size_t kNarrowElastic = 10;    // still says something
constexpr size_t kNarrowestElastic = 5;  // when nothing else is left
constexpr size_t kNarrowPath = 24;       // a path: a dated folder and a little of what is above it
constexpr size_t kContinued = 4;         // indent of what did not fit in a row's first line
constexpr std::string_view kBelowIndent = "      ";
constexpr size_t kDepthIndent = 2;
constexpr size_t kBarWidth = 16;

std::string HeadText(const Table& table, size_t column, const std::string& unit_shown) {
  const Column& c = table.columns[column];
  std::string head = c.show.head.empty() ? c.name : c.show.head;
  if (column == 0 && !table.title.empty()) head = table.title;
  if (!unit_shown.empty() && head != unit_shown) head += (head.empty() ? "" : " ") + unit_shown;
  return head;
}

void AppendNumbers(std::span<const Row> page, size_t column, std::vector<double>& values) {
  for (const Row& row : page) {
    if (column >= row.size()) continue;
    if (const std::optional<double> value = row[column].number()) values.push_back(*value);
  }
}

bool AllUnknown(std::span<const Row> page, size_t column) {
  return std::all_of(page.begin(), page.end(), [&](const Row& row) {
    return column >= row.size() || row[column].kind() == Cell::Kind::kUnknown;
  });
}

// How many bytes all of them begin with.
size_t SharedBytes(std::span<const std::string_view> texts) {
  std::string_view shared = texts[0];
  for (const std::string_view text : texts) {
    const auto differ = std::ranges::mismatch(shared, text);
    shared = shared.substr(0, static_cast<size_t>(differ.in1 - shared.begin()));
  }
  return shared.size();
}

// A share of the longest bar in eighths of a cell; what is more than nothing shows.
std::string Bar(double share) {
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return "";
  const auto eighths = static_cast<size_t>(std::max(1.0, std::min(share, 1.0) * kBarWidth * 8));
  std::string bar;
  for (size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar.append(kEighths[eighths % 8]);
}

}  // namespace

TableLayout::TableLayout(const Table& table, std::span<const Row> page, size_t width) : line_width_(width) {
  if (!table.depth.empty()) {
    depth_ = FindColumn(table, table.depth);
    indented_ = KeyColumn(table);
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Show& show = table.columns[i].show;
    if (show.hidden || ((show.optional || show.wide) && AllUnknown(page, i))) continue;
    if (show.below) {
      below_.push_back(i);
    } else {
      shown_.push_back(MakeShown(table, page, i));
      if (show.bar) shown_.push_back(MakeBar(page, i));
    }
  }
  if (width == 0) {
    // One line per row is better to search in, as long as nothing has to be cut for it.
    for (const size_t i : below_) shown_.push_back(MakeShown(table, page, i));
    below_.clear();
  }
  if (width > 0) Shrink(width);
  for (Shown& shown : shown_) {
    if (shown.width < shown.natural && shown.path) {
      shown.apart = CutPaths(shown.texts, shown.width);
    } else if (shown.width < shown.natural) {
      shown.head_share = BestCut(shown);
      CutApart(shown);
    }
    shown.texts = {};
  }
}

TableLayout::Shown TableLayout::MakeShown(const Table& table, std::span<const Row> page, size_t i) const {
  const Column& column = table.columns[i];
  Shown shown;
  shown.column = i;
  std::vector<double> values;
  for (size_t other = 0; other < table.columns.size(); ++other) {
    const Show& show = table.columns[other].show;
    if (other == i || (!column.show.group.empty() && show.group == column.show.group && !show.hidden)) {
      AppendNumbers(page, other, values);
    }
  }
  shown.style = ChooseStyle(column, values);
  shown.head = HeadText(table, i, shown.style.unit);
  shown.right =
      (column.type == Type::kInteger || column.type == Type::kNumber) && column.unit != unit::kUnixNs;
  shown.elastic = column.show.elastic;
  shown.keep_end = column.show.keep_end;
  shown.path = column.show.path;
  shown.optional = column.show.optional;
  shown.wide = column.show.wide;
  shown.natural = DisplayWidth(shown.head);
  for (const Row& row : page) {
    shown.texts.push_back(Text(shown, row));
    shown.natural = std::max(shown.natural, DisplayWidth(shown.texts.back()));
  }
  shown.width = shown.natural;
  return shown;
}

TableLayout::Shown TableLayout::MakeBar(std::span<const Row> page, size_t column) {
  Shown shown;
  shown.column = column;
  shown.bar = shown.optional = true;
  std::vector<double> values;
  AppendNumbers(page, column, values);
  for (const double value : values) shown.largest = std::max(shown.largest, value);
  shown.width = shown.natural = kBarWidth;
  return shown;
}

std::string TableLayout::Text(const Shown& shown, const Row& row) const {
  if (shown.column >= row.size()) return "–";
  const Cell& cell = row[shown.column];
  if (shown.bar) return shown.largest > 0 ? Bar(cell.number().value_or(0) / shown.largest) : "";
  const bool indented = shown.column == indented_ && depth_ < row.size();
  const double depth = indented ? std::clamp(row[depth_].number().value_or(0), 0.0, 100.0) : 0;
  return std::string(static_cast<size_t>(depth) * kDepthIndent, ' ') + FormatCell(shown.style, cell);
}

size_t TableLayout::TotalWidth() const {
  size_t total = kIndent;
  for (const Shown& shown : shown_) total += shown.width + kGap;
  return total - (shown_.empty() ? 0 : kGap);
}

void TableLayout::CutElastic(size_t width, size_t narrowest) {
  // A heading stays whole as long as columns that are worth less are left to go.
  const auto floor = [&](const Shown& shown) {
    if (shown.path) return std::max(kNarrowPath, DisplayWidth(shown.head));  // else a line of its own
    if (narrowest != kNarrowElastic) return narrowest;
    return std::max(shown.keep_end ? kNarrowPath : narrowest, DisplayWidth(shown.head));
  };
  // Level by level: the widest elastic column gives until it meets the next one, so short names stay whole.
  for (size_t total = TotalWidth(); total > width;) {
    Shown* widest = nullptr;
    size_t second = narrowest;
    for (Shown& shown : shown_) {
      if (!shown.elastic || shown.width <= floor(shown)) continue;
      if (widest == nullptr || shown.width > widest->width) {
        if (widest != nullptr) second = std::max(second, widest->width);
        widest = &shown;
      } else {
        second = std::max(second, shown.width);
      }
    }
    if (widest == nullptr) return;
    const size_t lowest = std::max(floor(*widest), second < widest->width ? second : widest->width - 1);
    const size_t give = std::min(total - width, widest->width - lowest);
    widest->width -= give;
    total -= give;
  }
}

void TableLayout::Shrink(size_t width) {
  while (TotalWidth() > width) {
    const auto wide =
        std::find_if(shown_.rbegin(), shown_.rend(), [](const Shown& shown) { return shown.wide; });
    if (wide == shown_.rend()) break;
    shown_.erase(std::next(wide).base());
  }
  CutElastic(width, kNarrowElastic);
  while (TotalWidth() > width) {
    const auto optional =
        std::find_if(shown_.rbegin(), shown_.rend(), [](const Shown& shown) { return shown.optional; });
    if (optional == shown_.rend()) break;
    if (!optional->bar) left_out_.insert(left_out_.begin(), optional->head);
    shown_.erase(std::next(optional).base());
    for (Shown& shown : shown_) shown.width = shown.natural;
    CutElastic(width, kNarrowElastic);
  }
  if (TotalWidth() <= width) return;
  // A row of two lines has room enough for names of the usual length; only a little more is cut for one line.
  CutElastic(width, kNarrowestElastic);
  if (TotalWidth() <= width) return;
  const size_t room = width > kContinued + kNarrowElastic ? width - kContinued : kNarrowElastic;
  for (Shown& shown : shown_) shown.width = std::min(shown.natural, room);
}

// The place of the cut that keeps most names apart: names of one program often share their beginning or their
// end.
double TableLayout::BestCut(const Shown& shown) {
  constexpr std::array kShares = {0.5, 0.33, 0.67, 0.2, 0.8, 0.0, 1.0};
  if (shown.keep_end) return 0;
  double best = kShares[0];
  size_t most = 0;
  for (const double share : kShares) {
    std::unordered_set<std::string> distinct;
    for (const std::string& text : shown.texts) distinct.insert(CutMiddle(text, shown.width, share));
    if (distinct.size() > most) {
      most = distinct.size();
      best = share;
    }
  }
  return best;
}

// In rounds: what is still equal after one differs further behind, and is cut there in the next.
void TableLayout::CutApart(Shown& shown) {
  constexpr int kMostRounds = 8;
  const std::unordered_set<std::string_view> texts(shown.texts.begin(), shown.texts.end());
  for (int round = 0; round < kMostRounds; ++round) {
    std::unordered_map<std::string, std::vector<std::string_view>> equal;  // by what is shown
    for (const std::string_view text : texts) equal[Cut(shown, std::string(text))].push_back(text);
    bool changed = false;
    for (const auto& [cut, alike] : equal) {
      if (alike.size() < 2) continue;
      const size_t place = SharedBytes(alike);
      for (const std::string_view text : alike) {
        std::string around = CutAround(text, place, shown.width, shown.head_share);
        changed |= around != cut;
        shown.apart[std::string(text)] = std::move(around);
      }
    }
    if (!changed) return;
  }
}

std::string TableLayout::Cut(const Shown& shown, const std::string& text) {
  const auto apart = shown.apart.find(text);
  if (apart != shown.apart.end()) return apart->second;
  // How deep a row of a tree lies is seen as long as its name has some room beside that.
  const size_t deep = text.find_first_not_of(' ');
  const size_t indent = deep != std::string::npos && deep * 2 <= shown.width ? deep : 0;
  return text.substr(0, indent) + CutMiddle(text.substr(indent), shown.width - indent, shown.head_share);
}

std::string TableLayout::Join(std::span<const std::string> fields) const {
  std::string lines;
  std::string line(kIndent, ' ');
  size_t used = kIndent;
  const auto end_line = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    lines += line;
  };
  for (size_t i = 0; i < shown_.size(); ++i) {
    const size_t width = DisplayWidth(fields[i]);
    const std::string pad(width < shown_[i].width ? shown_[i].width - width : 0, ' ');
    if (i > 0 && line_width_ > 0 && used + kGap + shown_[i].width > line_width_) {
      end_line();
      lines += '\n';
      line.assign(kContinued, ' ');
      used = kContinued;
    } else if (i > 0) {
      line.append(kGap, ' ');
      used += kGap;
    }
    line += shown_[i].right ? pad + fields[i] : fields[i] + pad;
    used += std::max(width, shown_[i].width);
  }
  end_line();
  return lines;
}

std::string TableLayout::Head() const {
  std::vector<std::string> fields;
  for (const Shown& shown : shown_) fields.push_back(CutMiddle(shown.head, shown.width));
  return Join(fields);
}

std::string TableLayout::Line(const Row& row) const {
  std::vector<std::string> fields;
  for (const Shown& shown : shown_) {
    std::string text = Text(shown, row);
    // Text that is not elastic is cut only where a line has no room for it alone. Numbers stay whole.
    const bool cut = shown.elastic || (!shown.right && shown.width < shown.natural);
    fields.push_back(cut ? Cut(shown, text) : std::move(text));
  }
  return Join(fields);
}

namespace {

// Bytes of the longest beginning of at most `width` cells; at least one code point.
size_t PrefixThatFits(std::string_view text, size_t width) {
  size_t bytes = 0;
  size_t used = 0;
  while (bytes < text.size()) {
    const CodePoint c = DecodeUtf8(text.substr(bytes));
    used += static_cast<size_t>(DisplayWidth(c.value));
    if (used > width && bytes > 0) break;
    bytes += c.length;
  }
  return bytes;
}

// "87.4" and "%", "3.70" and "ms,": not torn apart at the end of a line.
bool IsUnitOf(std::string_view number, std::string_view word) {
  constexpr std::array<std::string_view, 12> kUnits = {"%", "ps", "ns",  "µs",  "ms",  "s",
                                                       "B", "kB", "KiB", "MiB", "GiB", "TiB"};
  if (number.empty() || number.back() < '0' || number.back() > '9') return false;
  word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
  return std::ranges::find(kUnits, word) != kUnits.end();
}

}  // namespace

std::string TableLayout::Below(const Row& row) const {
  std::string lines;
  for (const size_t i : below_) {
    if (i < row.size()) lines += Wrap(FormatCell({}, row[i]), line_width_, kBelowIndent);
  }
  return lines;
}

std::string Wrap(std::string_view text, size_t width, std::string_view indent) {
  const size_t room = width == 0 ? text.size() + 1 : width > indent.size() + 10 ? width - indent.size() : 10;
  std::string out;
  std::string line;
  const auto flush = [&] {
    out.append(indent).append(line).append("\n");
    line.clear();
  };
  size_t line_width = 0;
  while (!text.empty()) {
    // Spaces belong to the word behind them, so that aligned text keeps its alignment within a line.
    const size_t word_begin = std::min(text.find_first_not_of(' '), text.size());
    size_t word_end = std::min(text.find(' ', word_begin), text.size());
    const size_t next_end = std::min(text.find(' ', word_end + 1), text.size());
    if (next_end > word_end && IsUnitOf(text.substr(word_begin, word_end - word_begin),
                                        text.substr(word_end + 1, next_end - word_end - 1))) {
      word_end = next_end;
    }
    const std::string_view piece = text.substr(0, word_end);
    const size_t piece_width = DisplayWidth(piece);
    if (const std::string_view word = text.substr(word_begin, word_end - word_begin);
        DisplayWidth(word) > room) {
      if (line_width > 0) flush();
      const size_t fits = PrefixThatFits(word, room);
      line = word.substr(0, fits);
      line_width = room;
      text.remove_prefix(word_begin + fits);
      continue;
    }
    if (line_width > 0 && line_width + piece_width > room) {
      flush();
      line = text.substr(word_begin, word_end - word_begin);
      line_width = DisplayWidth(line);
    } else {
      line += piece;
      line_width += piece_width;
    }
    text.remove_prefix(word_end);
  }
  if (!line.empty()) flush();
  return out;
}

std::string WrapBehind(std::string_view head, std::string_view text, size_t width) {
  const std::string indent(DisplayWidth(head), ' ');
  std::string wrapped = Wrap(text, width, indent);
  if (wrapped.empty()) return std::string(head) + "\n";
  return wrapped.replace(0, indent.size(), head);
}

}  // namespace gait::report

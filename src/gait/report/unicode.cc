#include "gait/report/unicode.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace gait::report {
namespace {

struct Range {
  char32_t first, last;
};

// Marks that take no cell of their own. Whole blocks rather than the exact list: good enough to align
// columns.
constexpr std::array kZeroWidth = {
    Range{0x0300, 0x036f}, Range{0x0483, 0x0489}, Range{0x0591, 0x05bd},   Range{0x0610, 0x061a},
    Range{0x064b, 0x065f}, Range{0x06d6, 0x06dc}, Range{0x0900, 0x0902},   Range{0x093c, 0x093c},
    Range{0x0941, 0x0948}, Range{0x0e31, 0x0e31}, Range{0x0e34, 0x0e3a},   Range{0x0e47, 0x0e4e},
    Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200d},   Range{0x20d0, 0x20ff},
    Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0xe0100, 0xe01ef},
};
constexpr std::array kWide = {
    Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},   Range{0x3041, 0x33ff},   Range{0x3400, 0x4dbf},
    Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},   Range{0xa960, 0xa97f},   Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff},   Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},
    Range{0x1f300, 0x1f64f}, Range{0x1f680, 0x1f6ff}, Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd},
};

template <size_t N>
bool In(const std::array<Range, N>& ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t value, const Range& range) { return value < range.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

bool SteersTerminal(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {first, 1, false};
  char32_t value = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {first, 1, false};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kSmallest[length] || value > 0x10ffff || surrogate) return {first, 1, false};
  return {value, static_cast<uint8_t>(length), true};
}

int DisplayWidth(char32_t c) {
  if (c < 0x300) return 1;
  if (In(kZeroWidth, c)) return 0;
  return In(kWide, c) ? 2 : 1;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    width += c.valid ? static_cast<size_t>(DisplayWidth(c.value)) : 1;
    text.remove_prefix(c.length);
  }
  return width;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = DecodeUtf8(text);
    if (c.value == '\n' && c.valid) {
      out += "\\n";
    } else if (c.value == '\t' && c.valid) {
      out += "\\t";
    } else if (!c.valid || (SteersTerminal(c.value) && c.value < 0x100)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint32_t>(c.value));
    } else if (SteersTerminal(c.value)) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<uint32_t>(c.value));
    } else {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

std::string ValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto other =
        std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    const auto plain = static_cast<size_t>(other - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const CodePoint c = DecodeUtf8(text);
    out += c.valid ? text.substr(0, c.length) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(c.length);
  }
  return out;
}

std::string CutMiddle(std::string_view text, size_t width, double head_share) {
  const size_t whole = DisplayWidth(text);
  if (whole <= width) return std::string(text);
  if (width == 0) return {};
  const size_t room = width - 1;  // the ellipsis takes one
  const size_t head_room =
      std::min(room, static_cast<size_t>(std::llround(static_cast<double>(room) * head_share)));

  size_t head_end = 0;
  size_t head_width = 0;
  size_t at = 0;
  size_t passed = 0;  // cells before `at`
  size_t tail_begin = text.size();
  while (at < text.size()) {
    const CodePoint c = DecodeUtf8(text.substr(at));
    const size_t cells = c.valid ? static_cast<size_t>(DisplayWidth(c.value)) : 1;
    if (passed + cells <= head_room) {
      head_end = at + c.length;
      head_width = passed + cells;
    }
    // A mark of width 0 belongs to the letter before it, so a tail never starts with one.
    if (cells > 0 && whole - passed <= room - head_width && passed >= head_width) {
      tail_begin = at;
      break;
    }
    passed += cells;
    at += c.length;
  }
  std::string out(text.substr(0, head_end));
  out += "…";
  out += text.substr(tail_begin);
  return out;
}

namespace {

// A text by the code points that have cells of their own, so that parts can be taken by cells.
class CellText {
 public:
  explicit CellText(std::string_view text) : text_(text) {
    size_t cells = 0;
    for (size_t at = 0; at < text.size();) {
      const CodePoint c = DecodeUtf8(text.substr(at));
      const size_t own = c.valid ? static_cast<size_t>(DisplayWidth(c.value)) : 1;
      if (own > 0) starts_.push_back({at, cells});
      cells += own;
      at += c.length;
    }
    starts_.push_back({text.size(), cells});
  }

  size_t size() const { return starts_.size() - 1; }
  size_t Cells(size_t begin, size_t end) const { return starts_[end].cell - starts_[begin].cell; }
  char First(size_t i) const { return text_[starts_[i].byte]; }
  std::string_view Part(size_t begin, size_t end) const {
    return text_.substr(starts_[begin].byte, starts_[end].byte - starts_[begin].byte);
  }
  // The code point that holds a byte.
  size_t At(size_t byte) const {
    size_t found = 0;
    while (found + 1 < size() && starts_[found + 1].byte <= byte) ++found;
    return found;
  }
  // How many from the beginning fit.
  size_t HeadIn(size_t room, size_t most) const {
    size_t head = 0;
    while (head < most && Cells(0, head + 1) <= room) ++head;
    return head;
  }
  // Where the end begins that fits.
  size_t TailIn(size_t room, size_t least) const {
    size_t tail = size();
    while (tail > least && Cells(tail - 1, size()) <= room) --tail;
    return tail;
  }

 private:
  struct Start {
    size_t byte, cell;
  };
  std::string_view text_;
  std::vector<Start> starts_;  // and the end
};

// The beginning of the word around a place, or of a part of it: layer_3. Where that is too far away for the
// place to be seen, as far as it may be.
size_t BeginOfPart(const CellText& text, size_t target, size_t most_cells) {
  const auto in_part = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text.First(i))); };
  std::optional<size_t> begin;
  if (target == 0 || !in_part(target - 1)) begin = target;
  size_t reach = target;
  while (reach > 0 && text.Cells(reach - 1, target) <= most_cells &&
         (in_part(reach - 1) || text.First(reach - 1) == '_')) {
    --reach;
    if (in_part(reach) && (reach == 0 || !in_part(reach - 1))) begin = reach;
  }
  return begin.value_or(reach);
}

}  // namespace

std::string CutAround(std::string_view text, size_t place, size_t width, double head_share) {
  constexpr size_t kLeast = 8;         // cells for the part around the place
  constexpr size_t kRoomForEnds = 24;  // cells from which the ends are shown too
  const size_t indent = std::min(text.find_first_not_of(' '), text.size());
  if (width < indent + kLeast || DisplayWidth(text) <= width) return CutMiddle(text, width, head_share);
  width -= indent;
  const CellText cells(text.substr(indent));
  const size_t count = cells.size();

  const size_t ends = width < kRoomForEnds ? 0 : width / 3;
  const auto head_room = static_cast<size_t>(std::llround(static_cast<double>(ends) * head_share));
  const size_t room = width - ends - 2;  // beside two ellipses
  size_t begin = BeginOfPart(cells, cells.At(place - std::min(place, indent)), room / 2);
  size_t end = begin;
  if (const size_t to_the_end = width - head_room - 1; cells.Cells(begin, count) <= to_the_end) {
    end = count;
    while (begin > 0 && cells.Cells(begin - 1, end) <= to_the_end) --begin;
  }
  while (end < count && cells.Cells(begin, end + 1) <= room) ++end;

  const size_t head = cells.HeadIn(head_room, begin);
  const size_t tail = cells.TailIn(ends - head_room, end);
  std::string out(text.substr(0, indent));
  out += cells.Part(0, head);
  if (begin > head) out += "…";
  out += cells.Part(begin, end);
  if (tail > end) out += "…";
  return out.append(cells.Part(tail, count));
}

}  // namespace gait::report

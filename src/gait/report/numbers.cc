#include "gait/report/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "gait/report/unicode.h"

namespace gait::report {
namespace {

struct Scale {
  double divisor;
  std::string_view name;
};

constexpr std::array kTime = {Scale{1e3, "ns"}, Scale{1e6, "µs"}, Scale{1e9, "ms"}, Scale{1e12, "s"}};
constexpr std::array kCapacity = {Scale{1, "B"}, Scale{1024., "KiB"}, Scale{1048576., "MiB"},
                                  Scale{1073741824., "GiB"}, Scale{1099511627776., "TiB"}};
constexpr std::array kByteRate = {Scale{1, "B/s"}, Scale{1e3, "kB/s"}, Scale{1e6, "MB/s"}, Scale{1e9, "GB/s"},
                                  Scale{1e12, "TB/s"}};
constexpr std::array kFlop = {Scale{1, "FLOP"}, Scale{1e6, "MFLOP"}, Scale{1e9, "GFLOP"},
                              Scale{1e12, "TFLOP"}, Scale{1e15, "PFLOP"}};
constexpr std::array kFlopRate = {Scale{1, "FLOP/s"}, Scale{1e6, "MFLOP/s"}, Scale{1e9, "GFLOP/s"},
                                  Scale{1e12, "TFLOP/s"}, Scale{1e15, "PFLOP/s"}};
constexpr std::array kPercent = {Scale{1, "%"}};
constexpr std::array kUnscaled = {Scale{1, ""}};

std::span<const Scale> ScalesOf(std::string_view name) {
  if (name == unit::kPs) return kTime;
  if (name == unit::kBytes) return kCapacity;
  if (name == unit::kBytesPerSecond) return kByteRate;
  if (name == unit::kFlop) return kFlop;
  if (name == unit::kFlopPerSecond) return kFlopRate;
  if (name == unit::kPercent) return kPercent;
  return kUnscaled;
}

// 999.6 is written as 1000 with three digits, so it counts as the larger one already.
constexpr double kAlmost = 0.9995;

// Position of the first digit: 2 for 412, 0 for 4.12, -1 for 0.412.
int Magnitude(double value) {
  return value > 0 && std::isfinite(value) ? static_cast<int>(std::floor(std::log10(value / kAlmost))) : 0;
}

size_t ScaleFor(std::span<const Scale> scales, double largest, double median) {
  size_t i = scales.size() - 1;
  while (i > 0 && largest < scales[i].divisor * kAlmost) --i;
  if (i > 0 && median < scales[i].divisor * 0.01 && largest < scales[i - 1].divisor * 2e3) --i;
  return i;
}

int DecimalsFor(double largest, double median, double smallest) {
  const int wanted = 2 - Magnitude(median);
  int most = 3 - Magnitude(largest);
  if (smallest < 0.5 * std::pow(10.0, -most)) ++most;
  return std::clamp(std::min(wanted, most), 0, largest < kAlmost ? 3 : 2);
}

std::string Grouped(std::string_view digits) {
  const size_t point = std::min(digits.find('.'), digits.size());
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    const bool inside = i > 0 && i < point && digits[i - 1] != '-';
    if (inside && (point - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

}  // namespace

std::string AmountText(double value, std::string_view unit_name) {
  if (value == 0) return "0";
  const Column column{"", Type::kNumber, unit_name};
  const std::array values = {value};
  const NumberStyle style = ChooseStyle(column, values);
  return FormatNumber(style, value) + " " + style.unit;
}

std::string TimeText(Ps time) { return AmountText(static_cast<double>(time.value()), unit::kPs); }
std::string RangeText(PsRange range) {
  const std::string low = TimeText(range.low);
  const std::string high = TimeText(range.high);
  if (low == high) return high;
  const size_t unit = std::min(low.find(' '), low.size());
  const bool same_unit = unit < low.size() && high.ends_with(std::string_view(low).substr(unit));
  return fmt::format("{}–{}", same_unit ? low.substr(0, unit) : low, high);
}

std::string BytesText(uint64_t bytes) { return AmountText(static_cast<double>(bytes), unit::kBytes); }
std::string CountText(uint64_t count) { return Grouped(std::to_string(count)); }
std::string Ungrouped(std::string_view text) {
  const auto digit = [&](size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool group = digit(i + 1) && digit(i + 2) && digit(i + 3) && !digit(i + 4);
    if (text[i] != ' ' || i == 0 || !digit(i - 1) || !group) out += text[i];
  }
  return out;
}

std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", CountText(count), noun, count == 1 ? "" : "s");
}

NumberStyle ChooseStyle(const Column& column, std::span<const double> values) {
  NumberStyle style;
  style.grouped = !column.show.identifier;
  const std::span<const Scale> scales = ScalesOf(column.unit);
  if (column.show.identifier || (column.type == Type::kInteger && scales.size() == 1)) {
    style.whole = true;
    style.unit = scales.size() == 1 ? scales[0].name : std::string_view();
    return style;
  }
  std::vector<double> sizes;
  for (const double value : values) {
    if (value != 0 && std::isfinite(value)) sizes.push_back(std::abs(value));
  }
  std::sort(sizes.begin(), sizes.end());
  const double largest = sizes.empty() ? 0 : sizes.back();
  const double median = sizes.empty() ? 0 : sizes[(sizes.size() - 1) / 2];

  size_t chosen = ScaleFor(scales, largest, median);
  for (size_t i = 0; i < scales.size(); ++i) {
    if (scales[i].name == column.show.scale) chosen = i;
  }
  style.divisor = scales[chosen].divisor;
  style.unit = scales[chosen].name;
  if (column.show.decimals >= 0) {
    style.decimals = column.show.decimals;
  } else if (!sizes.empty() && !(column.unit == unit::kBytes && chosen == 0)) {  // there is no part of a byte
    style.decimals =
        DecimalsFor(largest / style.divisor, median / style.divisor, sizes.front() / style.divisor);
  }
  return style;
}

std::string FormatNumber(const NumberStyle& style, double value) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  const double shown = value / style.divisor;
  const double last_digit = std::pow(10.0, -style.decimals);
  if (std::abs(shown) < 0.5 * last_digit) {
    return fmt::format("{}{:.{}f}", shown > 0 ? "<" : "-<", last_digit, style.decimals);
  }
  std::string digits = fmt::format("{:.{}f}", shown, style.decimals);
  return style.grouped ? Grouped(digits) : digits;
}

std::string FormatCell(const NumberStyle& style, const Cell& cell) {
  if (!cell.shown().empty()) return Printable(cell.shown());
  if (cell.has_text()) return Printable(cell.text());
  const std::optional<double> value = cell.number();
  if (!value) return "–";
  if (!style.whole || cell.kind() == Cell::Kind::kDouble) return FormatNumber(style, *value);
  return style.grouped ? Grouped(cell.RawNumber()) : cell.RawNumber();
}

}  // namespace gait::report

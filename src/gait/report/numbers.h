// Numbers for people: the unit a person would say, three significant digits, the same unit and the same
// number of digits behind the point down a whole column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/units.h"
#include "gait/report/table.h"

namespace gait::report {

// For running text.
std::string TimeText(Ps time);          // "19.3 ms", "412 µs", "0"
std::string RangeText(PsRange range);   // "0.9–2.1 ms", "900 µs–2.1 ms"; one time where both read the same
std::string BytesText(uint64_t bytes);  // "8.87 GiB"
std::string CountText(uint64_t count);  // "5 137 817"
std::string Ungrouped(std::string_view text);               // "5 137 817 events" as "5137817 events"
std::string Plural(uint64_t count, std::string_view noun);  // "1 event", "5 137 817 events"

std::string AmountText(double value, std::string_view unit_name);  // of any unit of table.h: "6.30 TFLOP"

// The style of all numbers of one column.
struct NumberStyle {
  double divisor = 1;
  std::string unit;  // what the head says: "ms", "GiB", "%"; empty for plain counts
  int decimals = 0;
  bool whole = false;  // integers: digits in groups, nothing rounded
  bool grouped = true;
};

// The style for the known values of a column. The largest value decides the unit. Where most values would
// vanish in this unit, and the largest has at most four digits in the next smaller unit, the smaller unit is
// taken. The median has three significant digits, as long as the largest value has no more than four or five.
NumberStyle ChooseStyle(const Column& column, std::span<const double> values);

// A value other than 0 never reads as 0: below the last digit the text is "<0.01".
std::string FormatNumber(const NumberStyle& style, double value);

// The cell as text: numbers in the style, text printable, unknown as –.
std::string FormatCell(const NumberStyle& style, const Cell& cell);

}  // namespace gait::report

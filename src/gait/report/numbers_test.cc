#include "gait/report/numbers.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace gait::report {
namespace {

std::vector<std::string> Shown(std::string_view unit_name, std::vector<double> values) {
  const Column column{"x", Type::kNumber, unit_name};
  const NumberStyle style = ChooseStyle(column, values);
  std::vector<std::string> out = {style.unit};
  for (const double value : values) out.push_back(FormatNumber(style, value));
  return out;
}
using Texts = std::vector<std::string>;

TEST(Numbers, TimesInTheUnitAPersonWouldSay) {
  EXPECT_EQ(TimeText(Ps(19'300'000'000)), "19.3 ms");
  EXPECT_EQ(TimeText(Microseconds(412)), "412 µs");
  EXPECT_EQ(TimeText(Ps(1'500)), "1.50 ns");
  EXPECT_EQ(TimeText(Ps(0)), "0");
  EXPECT_EQ(TimeText(Ps(-2'000'000)), "-2.00 µs");
  EXPECT_EQ(TimeText(Ps(999'960'000)), "1.00 ms");
  EXPECT_EQ(TimeText(Milliseconds(90'000)), "90.0 s");
}

TEST(Numbers, RangesSayTheirUnitOnce) {
  EXPECT_EQ(RangeText({Microseconds(900), Microseconds(950)}), "900–950 µs");
  EXPECT_EQ(RangeText({Microseconds(900), Microseconds(2'100)}), "900 µs–2.10 ms");
  EXPECT_EQ(RangeText({Microseconds(900), Microseconds(900)}), "900 µs");
  EXPECT_EQ(RangeText({Ps(), Microseconds(900)}), "0–900 µs");
}

TEST(Numbers, BytesAndCounts) {
  EXPECT_EQ(BytesText(0), "0");
  EXPECT_EQ(BytesText(17), "17 B");
  EXPECT_EQ(BytesText(150'109'880'320), "140 GiB");
  EXPECT_EQ(CountText(5'137'817), "5 137 817");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(Plural(1, "event"), "1 event");
  EXPECT_EQ(Plural(1000, "event"), "1 000 events");
}

TEST(Numbers, OneUnitAndOneNumberOfDigitsPerColumn) {
  EXPECT_EQ(Shown(unit::kPs, {18.8e9, 9.76e9, 0.07e9, 0.43e9, 0}),
            (Texts{"ms", "18.80", "9.76", "0.07", "0.43", "0"}));
  EXPECT_EQ(Shown(unit::kPercent, {97.4, 50.6, 2.2}), (Texts{"%", "97.4", "50.6", "2.2"}));
}

TEST(Numbers, MostValuesDecideWhenOneIsFarLarger) {
  EXPECT_EQ(Shown(unit::kPs, {1.35e12, 2e9, 3e9})[0], "ms");
  EXPECT_EQ(Shown(unit::kPs, {135e12, 2e9, 3e9})[0], "s");
}

TEST(Numbers, WhatIsNotZeroNeverReadsAsZero) {
  EXPECT_EQ(Shown(unit::kPs, {900e9, 1e3}), (Texts{"ms", "900.00", "<0.01"}));
  EXPECT_EQ(Shown(unit::kPs, {900e9, -1e3})[2], "-<0.01");
}

TEST(Numbers, CellsOfEveryKind) {
  const Column id{"id", Type::kInteger, unit::kNone, {.identifier = true}};
  const Column count{"n", Type::kInteger};
  EXPECT_EQ(FormatCell(ChooseStyle(id, {}), int64_t{-9193903911241632456}), "-9193903911241632456");
  EXPECT_EQ(FormatCell(ChooseStyle(count, {}), uint64_t{18446744073709551615U}),
            "18 446 744 073 709 551 615");
  EXPECT_EQ(FormatCell(ChooseStyle(count, {}), int64_t{-1234}), "-1 234");
  EXPECT_EQ(FormatCell(ChooseStyle(count, {}), Unknown{"no HLO"}), "–");
  EXPECT_EQ(FormatCell(ChooseStyle(count, {}), std::nan("")), "–");
  EXPECT_EQ(FormatCell({}, std::numeric_limits<double>::infinity()), "–");
}

}  // namespace
}  // namespace gait::report

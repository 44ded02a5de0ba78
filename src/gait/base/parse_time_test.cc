#include "gait/base/parse_time.h"

#include <gtest/gtest.h>

namespace gait {
namespace {

TEST(ParseTime, UnitsPeopleType) {
  EXPECT_EQ(*ParseTime("1.5ms"), Microseconds(1500));
  EXPECT_EQ(*ParseTime("300us"), Microseconds(300));
  EXPECT_EQ(*ParseTime("300 µs"), Microseconds(300));
  EXPECT_EQ(*ParseTime("2s"), Milliseconds(2000));
  EXPECT_EQ(*ParseTime("7"), Milliseconds(7));
  EXPECT_EQ(*ParseTime("-0.5ns"), Ps(-500));
}

TEST(ParseTime, EverythingElseIsAUsageError) {
  for (const char* text : {"", "ms", "1.5 hours", "1e300s", "nan", "0x10"}) {
    const auto time = ParseTime(text);
    ASSERT_FALSE(time) << text;
    EXPECT_EQ(time.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace gait

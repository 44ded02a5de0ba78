#include "gait/analyze/times.h"

#include <gtest/gtest.h>

#include "gait/analyze/pattern.h"

namespace gait::analyze {
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

TEST(Pattern, RefusesWhatWouldTakeForEver) {
  for (const char* expression :
       {"((a{1,255}){1,255}){1,255}", "(a{1,30000}){1,30000}", "((a{100})*{100})*{100}", "a{200}{200}",
        "(.*)\\1", "x{99999999999999999999}", "([ab]{90}|c{90}){90}"}) {
    EXPECT_FALSE(Pattern::Compile(expression).has_value()) << expression;
  }
  EXPECT_FALSE(Pattern::Compile(std::string(2000, 'a')).has_value());
  EXPECT_TRUE(Pattern::Compile("[{]1{3}[]{9999}]+\\{9999").has_value());
}

TEST(Pattern, TakesTimeInProportionToTheText) {
  std::string text(20'000, 'a');
  text += '!';
  for (const char* expression : {"^(a+)+$", "^(a|aa)+$", "^(a*)*(a*)*(a*)*$", "^((((a*)*)*)*)*$"}) {
    EXPECT_FALSE(Pattern::Compile(expression)->Matches(text)) << expression;
  }
}

TEST(Pattern, MatchesAnywhere) {
  EXPECT_TRUE(Pattern::Compile("gemm|fusion")->Matches("loop_fusion_3"));
  EXPECT_FALSE(Pattern::Compile("^fusion")->Matches("loop_fusion_3"));
  EXPECT_TRUE(Pattern::Compile("")->Matches("anything"));
  EXPECT_TRUE(Pattern::Compile("a.*b")->Matches("a" + std::string(1'000'000, 'x') + "b"));
  EXPECT_EQ(Pattern::Compile("a(").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace gait::analyze

#include "gait/base/pattern.h"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace gait {
namespace {

TEST(Pattern, RefusesWhatNoAutomatonCanDo) {
  for (const auto& [expression, what] : {std::pair("a(?=b)", "looks around"),
                                         {"a(?!b)", "looks around"},
                                         {"(?<=a)b", "looks around"},
                                         {"(?<!a)b", "looks around"},
                                         {"(.*)\\1", "refers back"},
                                         {"(?P<x>a)(?P=x)", "refers back"},
                                         {"(?P<x>a)\\k<x>", "refers back"},
                                         {"(?>a)b", "has a group of another kind"}}) {
    const auto refused = Pattern::Compile(expression);
    ASSERT_FALSE(refused.has_value()) << expression;
    EXPECT_TRUE(refused.error().what.starts_with(fmt::format("'{}' {} ('", expression, what)))
        << refused.error().what;
    EXPECT_TRUE(refused.error().what.ends_with("which is not supported.")) << refused.error().what;
  }
}

TEST(Pattern, RefusesWhatWouldTakeAllMemory) {
  for (const char* expression :
       {"((a{1,255}){1,255}){1,255}", "(a{1,30000}){1,30000}", "((a{100})*{100})*{100}",
        "([ab]{90}|c{90}){90}", "[[:alpha:]]{1,9000}z", "(.{0,90}){0,100}!"}) {
    EXPECT_FALSE(Pattern::Compile(expression).has_value()) << expression;
  }
  EXPECT_FALSE(Pattern::Compile(std::string(2000, 'a')).has_value());
  EXPECT_TRUE(Pattern::Compile("[{]1{3}[]{9999}]+\\{9999").has_value());
}

TEST(Pattern, TakesTimeInProportionToTheText) {
  std::string text(200'000, 'a');
  text += '!';
  for (const char* expression : {"^(a+)+$", "^(a|aa)+$", "^(a*)*(a*)*(a*)*$", "^((((a*)*)*)*)*$",
                                 "(^|$)*{12}b", "[ab]*a[ab]{40}x", "(.?){500}b$"}) {
    const auto pattern = Pattern::Compile(expression);
    if (pattern) {
      EXPECT_FALSE(pattern->Matches(text)) << expression;
    }
  }
}

TEST(Pattern, KnowsClassesByLetterAndByName) {
  for (const char* expression : {"n_\\d+$", "^\\w+$", "[[:alpha:]]+_[0-9]"}) {
    EXPECT_TRUE(Pattern::Compile(expression)->Matches("loop_fusion_3")) << expression;
    EXPECT_FALSE(Pattern::Compile(expression)->Matches("  ")) << expression;
  }
  EXPECT_TRUE(Pattern::Compile("[^\\d]")->Matches("\xff"));  // names need not be text
}

TEST(Pattern, MatchesAnywhere) {
  EXPECT_TRUE(Pattern::Compile("gemm|fusion")->Matches("loop_fusion_3"));
  EXPECT_FALSE(Pattern::Compile("^fusion")->Matches("loop_fusion_3"));
  EXPECT_TRUE(Pattern::Compile("")->Matches("anything"));
  EXPECT_TRUE(Pattern::Compile("a.*b")->Matches("a" + std::string(1'000'000, 'x') + "b"));
  EXPECT_EQ(Pattern::Compile("a(").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace gait

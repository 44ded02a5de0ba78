#include "gait/serve/target.h"

#include <gtest/gtest.h>

namespace gait::serve {
namespace {

using Parameters = std::multimap<std::string, std::string>;

TEST(Target, IsCutBeforeItIsDecoded) {
  const Target target = ParseTarget("/a%2Fb%3Fc?x=1%262&y%3D=%20+&x=3");
  EXPECT_EQ(target.path, "/a/b?c");
  EXPECT_EQ(target.parameters, (Parameters{{"x", "1&2"}, {"x", "3"}, {"y=", "  "}}));
}

TEST(Target, APlusIsASpaceInParametersOnly) {
  const Target target = ParseTarget("/a+b?q=a+b%2B");
  EXPECT_EQ(target.path, "/a+b");
  EXPECT_EQ(target.parameters, (Parameters{{"q", "a b+"}}));
}

TEST(Target, WhatIsNoEncodingStandsForItself) {
  for (const char* text : {"/%", "/%4", "/%zz", "/%4z", "/%-1", "/%+1", "/% 1", "/%0x"}) {
    EXPECT_EQ(ParseTarget(text).path, text);
  }
  EXPECT_EQ(ParseTarget("/%41%4").path, "/A%4");
}

TEST(Target, EmptyParts) {
  EXPECT_EQ(ParseTarget("").path, "");
  EXPECT_TRUE(ParseTarget("/?").parameters.empty());
  EXPECT_EQ(ParseTarget("/?&&a&=b&").parameters, (Parameters{{"", "b"}, {"a", ""}}));
  EXPECT_EQ(ParseTarget("/?a=b=c?d").parameters, (Parameters{{"a", "b=c?d"}}));
}

}  // namespace
}  // namespace gait::serve

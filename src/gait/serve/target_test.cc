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

TEST(Target, APathIsEncodedAsItIsDecoded) {
  EXPECT_EQ(EncodePath("/runs/a-b_c.d~1/x:@"), "/runs/a-b_c.d~1/x:@");
  EXPECT_EQ(EncodePath("/a\r\nSet-Cookie: x"), "/a%0D%0ASet-Cookie:%20x");
  EXPECT_EQ(EncodePath("/\\evil.example"), "/%5Cevil.example") << "browsers take it for a slash";
  EXPECT_EQ(EncodePath("/a?b#c%41"), "/a%3Fb%23c%2541");
  std::string all = "/";
  for (int sign = 1; sign < 256; ++sign) all += static_cast<char>(sign);
  EXPECT_EQ(ParseTarget(EncodePath(all)).path, all);
}

}  // namespace
}  // namespace gait::serve

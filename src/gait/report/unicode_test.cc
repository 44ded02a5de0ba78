#include "gait/report/unicode.h"

#include <gtest/gtest.h>

namespace gait::report {
namespace {

TEST(Unicode, WidthCountsCells) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("µs – …"), 6u);
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(DisplayWidth("\xff\xfe"), 2u);
}

TEST(Unicode, PrintableEscapesWhatSteersATerminal) {
  EXPECT_EQ(Printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Printable("a\nb\tc\r"), "a\\nb\\tc\\x0d");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\x9b");      // C1: CSI in one code point
  EXPECT_EQ(Printable("x\u202ey"), "x\\u202ey");  // would reverse what follows
  EXPECT_EQ(Printable("\xff ok \xc3"), "\\xff ok \\xc3");
  EXPECT_EQ(Printable("Grüße 日本"), "Grüße 日本");
}

TEST(Unicode, ValidReplacesBadBytesOnly) {
  EXPECT_EQ(ValidUtf8("ok ü"), "ok ü");
  EXPECT_EQ(ValidUtf8("a\xff"
                      "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // a surrogate
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");                  // an overlong slash
}

TEST(Unicode, CutKeepsBothEnds) {
  EXPECT_EQ(CutMiddle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(CutMiddle("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(CutMiddle("abcdefghij", 5, 0), "…ghij");
  EXPECT_EQ(CutMiddle("abcdefghij", 5, 1), "abcd…");
  EXPECT_EQ(CutMiddle("abcdefghij", 1), "…");
  EXPECT_EQ(CutMiddle("abcdefghij", 0), "");
}

TEST(Unicode, CutNeverExceedsItsWidth) {
  const std::string text = "日本e\u0301語 layer_0/attention \xff 日本語";
  for (size_t width = 0; width < 40; ++width) {
    for (const double share : {0.0, 0.3, 0.5, 1.0})
      EXPECT_LE(DisplayWidth(CutMiddle(text, width, share)), width);
  }
}

TEST(Unicode, CutsAroundAPlace) {
  const std::string name = "void_first_second_third_fourth_fifth";
  EXPECT_EQ(CutAround(name, name.find("cond"), 14), "…second_third…");
  EXPECT_EQ(CutAround(name, name.find("fifth"), 14), "…_fourth_fifth");
  EXPECT_EQ(CutAround(name, 0, 14), "void_first_s…");
  EXPECT_EQ(CutAround(name, name.find("third"), 30), "void_…second_third_fourt…fifth");
  EXPECT_EQ(CutAround("    " + name, 4 + name.find("second"), 14), "    …second_t…");
  EXPECT_EQ(CutAround("short", 2, 14), "short");
  const std::string text = "日本e\u0301語 layer_0/attention \xff 日本語";
  for (size_t width = 0; width < 40; ++width) {
    for (size_t place = 0; place <= text.size(); ++place) {
      for (const double share : {0.0, 0.3, 0.5, 1.0}) {
        EXPECT_LE(DisplayWidth(CutAround(text, place, width, share)), width);
      }
    }
  }
}

}  // namespace
}  // namespace gait::report

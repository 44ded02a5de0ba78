#include "gait/report/text.h"

#include <sstream>

#include <gtest/gtest.h>

#include "gait/report/text_layout.h"
#include "gait/report/unicode.h"

namespace gait::report {
namespace {

std::string Text(const Document& document, size_t width = 80, bool color = false) {
  Output out;
  WriteText(document, {.width = width, .color = color}, out);
  return out.text();
}

Document Tracks() {
  Document document{.verb = "info", .sources = {"x"}};
  document.answer = "One line.";
  document.tables.push_back({"tracks",
                             "track",
                             {{"name", Type::kText, unit::kNone, {.elastic = true}},
                              {"events", Type::kInteger},
                              {"busy", Type::kInteger, unit::kPs},
                              {"id", Type::kInteger, unit::kNone, {.identifier = true, .optional = true}}},
                             {}});
  document.tables[0].rows = {
      {std::string("/device:GPU:0 Stream #14(Compute)"), int64_t{12345}, Milliseconds(19), int64_t{14}},
      {std::string("/device:GPU:0 Stream #15(MemcpyH2D)"), int64_t{7}, Microseconds(70), int64_t{15}},
      {std::string("日本"), int64_t{0}, Unknown{"no times"}, int64_t{-9193903911241632456}}};
  return document;
}

TEST(Text, ATreeIsIndentedAndBarsShowShares) {
  Document document{.verb = "overview"};
  Table table;
  table.name = "parts";
  table.columns = {{"part", Type::kText, unit::kNone, {}, "what the device did"},
                   {"depth", Type::kInteger, unit::kNone, {.hidden = true}},
                   {"share", Type::kNumber, unit::kPercent, {.bar = true}, "of the step"}};
  table.rows = {{"compute", int64_t{0}, 80.0}, {"matmul", int64_t{1}, 40.0}, {"idle", int64_t{0}, 0.001}};
  table.depth = "depth";
  document.tables.push_back(table);
  document.explain = true;
  EXPECT_EQ(Text(document),
            "  part      share %\n"
            "  compute      80.0  ████████████████\n"
            "    matmul     40.0  ████████\n"
            "  idle         <0.1  ▏\n\n"
            "  part   what the device did\n"
            "  share  of the step\n\n"
            "  nothing was lost\n");
  document.explain = false;
  EXPECT_EQ(Text(document, 24).find("█"), std::string::npos);
}

TEST(Text, OfALongTreeTheHeaviestRowsAreShown) {
  Document document{.verb = "ops"};
  document.read_events = false;
  Table table;
  table.name = "ops";
  table.columns = {
      {"scope"}, {"depth", Type::kInteger, unit::kNone, {.hidden = true}}, {"self", Type::kInteger}};
  table.rows = {{"backward", int64_t{0}, int64_t{60}},
                {"layer", int64_t{1}, int64_t{6}},
                {"forward", int64_t{0}, int64_t{40}},
                {"layer", int64_t{1}, int64_t{4}}};
  table.depth = "depth";
  table.weight = "self";
  table.text_rows = 3;
  document.tables.push_back(table);
  EXPECT_EQ(Text(document),
            "  scope     self\n"
            "  backward    60\n"
            "    layer      6\n"
            "  forward     40\n"
            "  … and 1 more (--table ops shows all)\n");
}

TEST(Text, WideColumnsTakeOnlyRoomToSpare) {
  Document document{.verb = "x"};
  document.read_events = false;
  document.tables.push_back({"t",
                             "",
                             {{"name", Type::kText, unit::kNone, {.elastic = true}},
                              {"p50", Type::kText, unit::kNone, {.wide = true}},
                              {"last"}},
                             {{"a rather long name", "1", "2"}}});
  EXPECT_EQ(Text(document, 33), "  name                p50  last\n  a rather long name  1    2\n");
  EXPECT_EQ(Text(document, 30), "  name                last\n  a rather long name  2\n");
  EXPECT_NE(Text(document, 0).find("p50"), std::string::npos);
}

TEST(Text, AlignsAndNamesUnitsOnce) {
  EXPECT_EQ(Text(Tracks(), 100),
            "One line.\n\n"
            "  track                                events  busy ms                    id\n"
            "  /device:GPU:0 Stream #14(Compute)    12 345    19.00                    14\n"
            "  /device:GPU:0 Stream #15(MemcpyH2D)       7     0.07                    15\n"
            "  日本                                      0        –  -9193903911241632456\n"
            "  – unknown: no times\n\n"
            "  nothing was lost\n");
}

TEST(Text, FitsEveryWidth) {
  for (size_t width = 40; width < 90; ++width) {
    std::istringstream lines(Text(Tracks(), width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

TEST(Text, ColumnsOfAGroupShareUnitAndDecimals) {
  Document document{.verb = "x"};
  document.tables.push_back({"t",
                             "",
                             {{"begin", Type::kInteger, unit::kPs, {.group = "span"}},
                              {"end", Type::kInteger, unit::kPs, {.group = "span"}},
                              {"busy", Type::kInteger, unit::kPs}},
                             {{Microseconds(46100), Milliseconds(2046), Microseconds(3)},
                              {Microseconds(50250), Milliseconds(2000), Microseconds(4)}}});
  EXPECT_EQ(Text(document),
            "  begin s  end s  busy µs\n"
            "     0.05   2.05     3.00\n"
            "     0.05   2.00     4.00\n\n"
            "  nothing was lost\n");
}

TEST(Text, RowsThatDoNotFitGoOnInASecondLine) {
  Document document{.verb = "x"};
  Table table{"t", "", {}, {{}}};
  for (int i = 0; i < 6; ++i) {
    table.columns.push_back({"column_" + std::to_string(i), Type::kInteger});
    table.rows[0].push_back(int64_t{i});
  }
  document.tables.push_back(std::move(table));
  EXPECT_EQ(Text(document, 40),
            "  column_0  column_1  column_2  column_3\n"
            "    column_4  column_5\n"
            "         0         1         2         3\n"
            "           4         5\n\n"
            "  nothing was lost\n");
}

TEST(Text, PathsAreCutAtTheirFront) {
  Document document{.verb = "x"};
  document.tables.push_back(
      {"t", "", {{"run", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}}}, {}});
  document.tables[0].rows = {{std::string(60, 'a') + "/2026_11_15_00_29_59"}};
  EXPECT_NE(Text(document, 40).find("a/2026_11_15_00_29_59\n"), std::string::npos);
}

TEST(Text, CutsWhereNamesStayApart) {
  Document document{.verb = "x"};
  document.tables.push_back({"t", "", {{"name", Type::kText, unit::kNone, {.elastic = true}}}, {}});
  const std::string path = "jit(train_step)/transpose(jvp(model))/";
  for (int i = 0; i < 9; ++i)
    document.tables[0].rows.push_back({path + std::to_string(i) + "/attention/dot_general"});
  const std::string text = Text(document, 40);
  for (int i = 0; i < 9; ++i)
    EXPECT_NE(text.find(std::to_string(i) + "/attention"), std::string::npos) << text;
}

TEST(Text, CutsAroundWhatDiffers) {
  Document document{.verb = "x"};
  document.read_events = false;
  document.tables.push_back({"t", "", {{"name", Type::kText, unit::kNone, {.elastic = true}}}, {}});
  for (const char* size : {"128x128_32x3", "128x256_32x3", "64x256_32x3", "64x256_16x4"}) {
    document.tables[0].rows.push_back({std::string("Kernel<cutlass_80_tensorop_") + size + "_tn_align1>"});
  }
  document.tables[0].rows.push_back({"another kernel"});
  EXPECT_EQ(Text(document, 19),
            "  name\n"
            "  …128x128_32x3_tn…\n"
            "  …128x256_32x3_tn…\n"
            "  …64x256_32x3_tn_…\n"
            "  Ker…x4_tn_align1>\n"
            "  another kernel\n");
}

TEST(Text, LongTablesComeInPages) {
  Document document{.verb = "dump"};
  document.tables.push_back({"events", "", {{"n", Type::kInteger}}, {}});
  int64_t n = 0;
  document.tables[0].more = [&n](Row& row) {
    row.push_back(n++);
    return n <= 10000;
  };
  const std::string text = Text(document);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 10000 + 2);
}

TEST(Text, ColumnsBelowTheirRowAreWrappedAndNeverCut) {
  Document document{.verb = "dump"};
  document.read_events = false;
  document.tables.push_back({"events",
                             "",
                             {{"name"}, {"arguments", Type::kAny, unit::kNone, {.below = true}}, {"host"}},
                             {{"gemm", Cell::Json("[]", "first=1 second=two"), "vm"}}});
  EXPECT_EQ(Text(document, 20), "  name  host\n  gemm  vm\n      first=1\n      second=two\n");
  EXPECT_EQ(Text(document, 0), "  name  host  arguments\n  gemm  vm    first=1 second=two\n");
}

TEST(Text, LossesInPlainWords) {
  Document document{.verb = "x"};
  document.losses = {{LossKind::kDropped, "/host:CPU", "negative duration", 1234}};
  EXPECT_EQ(Text(document),
            "  lost or changed on the way:\n    1 234 dropped: negative duration (/host:CPU)\n");
}

TEST(Text, NamesCannotSteerTheTerminal) {
  Document document{.verb = "x"};
  document.answer = "host \x1b]0;owned\x07";
  document.tables.push_back({"t", "", {{"name"}}, {{std::string("\x1b[2J")}}});
  EXPECT_EQ(Text(document).find('\x1b'), std::string::npos);
  EXPECT_NE(Text(document, 80, true).find("\x1b[1mhost \\x1b]0;owned\\x07\x1b[0m"), std::string::npos);
}

TEST(Text, WrapBreaksAtSpaces) {
  EXPECT_EQ(Wrap("one two three four", 14, "  "), "  one two\n  three four\n");
  EXPECT_EQ(Wrap("", 20), "");
  EXPECT_EQ(WrapBehind("head  ", "", 20), "head  \n");
  EXPECT_EQ(WrapBehind("µs    ", "one two three", 16), "µs    one two\n      three\n");
  EXPECT_EQ(Wrap("see runs/gpt/plugins/profile x", 14, "  "), "  see\n  runs/gpt/plu\n  gins/profile\n  x\n");
  EXPECT_EQ(Wrap("a  b", 0), "a  b\n");
  EXPECT_EQ(Wrap("it is busy 87 %. More", 13), "it is busy\n87 %. More\n");
  EXPECT_EQ(Wrap("after 3.70 ms, of 5 steps", 19), "after 3.70 ms, of 5\nsteps\n");
  EXPECT_EQ(Wrap("1 ms", 10), "1 ms\n");
}

}  // namespace
}  // namespace gait::report

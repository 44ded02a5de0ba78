#include "gait/report/json.h"

#include <cmath>

#include <gtest/gtest.h>

namespace gait::report {
namespace {

TEST(Json, OneOfEverything) {
  Document document{.verb = "info", .sources = {"runs/\"x\""}};
  document.answer = "all good";
  document.losses = {{LossKind::kDropped, "byte 3", "negative", 2}};
  document.tables.push_back({"t", "", {{"a"}, {"b", Type::kInteger, unit::kPs}, {"c", Type::kNumber}}, {}});
  document.tables[0].rows = {{std::string("x\n\xff"), Ps(5), 0.1},
                             {Unknown{"why"}, uint64_t{1} << 63, std::nan("")}};
  document.texts = {{"program", "HloModule m"}};
  Output out;
  WriteJson(document, out);
  EXPECT_EQ(
      out.text(),
      "{\"schema\":1,\"verb\":\"info\",\"source\":\"runs/\\\"x\\\"\",\n\"answer\":\"all good\",\n"
      "\"warnings\":[],\n"
      "\"losses\":[{\"kind\":\"dropped\",\"place\":\"byte 3\",\"reason\":\"negative\",\"count\":2}],\n"
      "\"notes\":[],\n\"tables\":{\n\"t\":{\"columns\":[{\"name\":\"a\",\"type\":\"string\",\"unit\":\"\"},"
      "{\"name\":\"b\",\"type\":\"integer\",\"unit\":\"ps\"},{\"name\":\"c\",\"type\":\"number\",\"unit\":"
      "\"\"}],"
      "\"rows\":[\n  [\"x\\n\xef\xbf\xbd\",5,0.1],\n  [null,9223372036854775808,null]]}},\n"
      "\"texts\":{\"program\":\"HloModule m\"}}\n");
}

TEST(Json, ControlCharactersAreEscaped) { EXPECT_EQ(JsonString("\x01\t\r\\"), "\"\\u0001\\t\\r\\\\\""); }

TEST(Json, ListsAndSentences) {
  Document document{.verb = "dump"};
  document.answer = "1 of 6 156 events in 2 runs.";
  document.tables.push_back({"t", "", {{"a", Type::kAny}}, {{Cell::Json("[1]", "one")}}});
  document.tables[0].rows.push_back({Cell(uint64_t{32768}).ShownAs("32.0 KiB")});
  Output out;
  WriteJson(document, out);
  EXPECT_NE(out.text().find("\"1 of 6156 events in 2 runs.\""), std::string::npos);
  EXPECT_NE(out.text().find("[[1]],\n  [32768]"), std::string::npos);
}

TEST(Json, LinksArePiecesOfTheTextsAsTheseAreWritten) {
  Document document{.verb = "ops"};
  document.notes = {"copies are in gait transfers; --program jit_1 000 shows more"};
  document.links = {{"gait transfers", "transfers"}, Link::Option("program", "jit_1 000")};
  Output out;
  WriteJson(document, out);
  EXPECT_NE(
      out.text().find("\"notes\":[\"copies are in gait transfers; --program jit_1000 shows more\"],\n"
                      "\"links\":[{\"text\":\"gait transfers\",\"verb\":\"transfers\",\"parameters\":{}},"
                      "{\"text\":\"--program jit_1000\",\"verb\":null,"
                      "\"parameters\":{\"program\":\"jit_1 000\"}}],\n\"tables\":"),
      std::string::npos)
      << out.text();
}

TEST(Json, SeveralSourcesAreAList) {
  Output out;
  WriteJson({.verb = "diff", .sources = {"a", "b"}}, out);
  EXPECT_NE(out.text().find("\"source\":[\"a\",\"b\"]"), std::string::npos);
}

TEST(Json, RowsFromASource) {
  Document document{.verb = "dump"};
  document.tables.push_back({"events", "", {{"n", Type::kInteger}}, {}});
  int64_t n = 0;
  document.tables[0].more = [&n](Row& row) {
    row.push_back(n++);
    return n <= 3;
  };
  Output out;
  WriteJson(document, out);
  EXPECT_NE(out.text().find("\"rows\":[\n  [0],\n  [1],\n  [2]]"), std::string::npos);
}

}  // namespace
}  // namespace gait::report

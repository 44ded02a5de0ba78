#include "gait/report/csv.h"

#include <gtest/gtest.h>

namespace gait::report {
namespace {

TEST(Csv, QuotesOnlyWhereNeeded) {
  Table table{"t", "", {{"name"}, {"busy", Type::kInteger, unit::kPs}}, {}};
  table.rows = {{std::string("plain"), Ps(-5)}, {std::string("a,\"b\"\n"), Unknown{"x"}}};
  Output out;
  WriteCsv(table, out);
  EXPECT_EQ(out.text(), "name,busy [ps]\r\nplain,-5\r\n\"a,\"\"b\"\"\n\",\r\n");
}

TEST(Csv, NoTextIsAFormula) {
  Table table{"t", "", {{"name"}, {"change", Type::kInteger, unit::kPs}}, {}};
  table.rows = {{std::string("=HYPERLINK(\"x\")"), Ps(-5)},
                {std::string("@sum"), Ps(5)},
                {std::string("-x+y"), Ps(0)},
                {std::string("\n=1+1"), Ps(1)}};
  Output out;
  WriteCsv(table, out);
  EXPECT_EQ(out.text(),
            "name,change [ps]\r\n\"'=HYPERLINK(\"\"x\"\")\",-5\r\n'@sum,5\r\n'-x+y,0\r\n\"'\n=1+1\",1\r\n");
}

TEST(Csv, NoPartOfATextIsACell) {
  Table table{"t", "", {{"name"}}, {}};
  table.rows = {{std::string("a;=1+1")}, {std::string("a\t=1+1")}};
  Output out;
  WriteCsv(table, out);
  EXPECT_EQ(out.text(), "name\r\n\"a;=1+1\"\r\n\"a\t=1+1\"\r\n");
}

TEST(Csv, NoTextIsAFormulaInWideCharacters) {
  Table table{"t", "", {{"name"}}, {}};
  for (const char* text : {"＝1+1", "＋1", "－1", "＠sum", "\t＝1", "\r＝1", "a＝b", "！a"})
    table.rows.push_back({std::string(text)});
  Output out;
  WriteCsv(table, out);
  EXPECT_EQ(out.text(),
            "name\r\n'＝1+1\r\n'＋1\r\n'－1\r\n'＠sum\r\n\"'\t＝1\"\r\n\"'\r＝1\"\r\na＝b\r\n！a\r\n");
}

}  // namespace
}  // namespace gait::report

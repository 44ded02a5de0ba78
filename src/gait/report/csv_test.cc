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

}  // namespace
}  // namespace gait::report

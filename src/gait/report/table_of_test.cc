#include "gait/report/table_of.h"

#include <gtest/gtest.h>

namespace gait::report {
namespace {

struct Duration {
  Ps mean, longest;
};
struct Work {
  std::string name;
  uint64_t count = 0;
  bool hot = false;
  std::optional<double> rate;
  Duration duration;

  Ps total() const { return duration.mean * static_cast<int64_t>(count); }
};

TEST(TableOf, AGettersResultIsTheColumnsType) {
  TableOf<Work> t({.name = "works", .key = "name"});
  t.Add("name", {.elastic = true}, "its name", &Work::name);
  t.Add("count", "how often", &Work::count);
  t.Add("total", "in all", &Work::total);
  t.Add("hot", "whether", &Work::hot);
  t.Add("rate", unit::kFlopPerSecond, {}, "how fast",
        [](const Work& work) { return OrUnknown(work.rate, "nobody knows"); });
  t.Percent("share", "its part", [](const Work&) { return 12.5; });
  t.Bytes("size", "of it", [](const Work&) -> CellOf<int64_t> { return Unknown{"no size"}; });
  t.Hidden("mean", "of one", [](const Work& work) { return TimeCell(work.duration.mean); });
  t.Add("list", "of things", [](const Work&) { return Cell::Json("[1]", "1"); });
  const Table table = t.Of(std::vector<Work>{{"a", 2, true, {}, {Ps(5), Ps(7)}}});
  struct Expected {
    const char* name;
    Type type;
    std::string_view unit;
    std::string_view about;
    Cell::Kind kind;
  };
  const Expected expected[] = {{"name", Type::kText, "", "its name", Cell::Kind::kText},
                               {"count", Type::kInteger, "", "how often", Cell::Kind::kUint},
                               {"total", Type::kInteger, "ps", "in all", Cell::Kind::kTime},
                               {"hot", Type::kText, "", "whether", Cell::Kind::kText},
                               {"rate", Type::kNumber, "flop/s", "how fast", Cell::Kind::kUnknown},
                               {"share", Type::kNumber, "percent", "its part", Cell::Kind::kDouble},
                               {"size", Type::kInteger, "bytes", "of it", Cell::Kind::kUnknown},
                               {"mean", Type::kInteger, "ps", "of one", Cell::Kind::kTime},
                               {"list", Type::kAny, "", "of things", Cell::Kind::kJson}};
  EXPECT_EQ(table.name, "works");
  EXPECT_EQ(table.key, "name");
  ASSERT_EQ(table.columns.size(), std::size(expected));
  ASSERT_EQ(table.rows.size(), 1u);
  ASSERT_EQ(table.rows[0].size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); ++i) {
    const Column& column = table.columns[i];
    EXPECT_EQ(column.name, expected[i].name);
    EXPECT_EQ(column.type, expected[i].type) << column.name;
    EXPECT_EQ(column.unit, expected[i].unit) << column.name;
    EXPECT_EQ(column.about, expected[i].about) << column.name;
    EXPECT_EQ(table.rows[0][i].kind(), expected[i].kind) << column.name;
  }
  const Row& row = table.rows[0];
  EXPECT_EQ(row[0].text(), "a");
  EXPECT_EQ(row[2].integer(), 10);
  EXPECT_EQ(row[3].text(), "yes");
  EXPECT_EQ(row[4].text(), "nobody knows");
  EXPECT_EQ(row[6].text(), "no size");
  EXPECT_TRUE(table.columns[0].show.elastic);
  EXPECT_EQ(table.columns[6].show.group, "bytes");
  EXPECT_TRUE(table.columns[7].show.hidden);
}

TEST(TableOf, TheColumnsOfAPartAreDeclaredOnce) {
  TableOf<Duration> durations({});
  durations.Add("mean", {.group = "one"}, "of one", &Duration::mean);
  durations.Add("max", "the longest", &Duration::longest);
  TableOf<Work> t({.name = "works"});
  t.Add("name", "its name", &Work::name);
  t.Include(durations, &Work::duration);
  t.Add("count", "how often", &Work::count);
  const Table table = t.Of(std::vector<Work>{{"a", 1, false, {}, {Ps(5), Ps(7)}}});
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[1].name, "mean");
  EXPECT_EQ(table.columns[1].show.group, "one");
  EXPECT_EQ(table.rows[0][1].integer(), 5);
  EXPECT_EQ(table.rows[0][2].integer(), 7);
  EXPECT_EQ(table.rows[0][3].integer(), 1);
}

TEST(TableOf, RowsThatAreMadeWhileTheTableIsWritten) {
  const auto make = [] {
    const std::vector<int64_t> factor{3};  // is gone when the rows are made
    TableOf<int64_t> t({.name = "numbers"});
    t.Add("n", "a number", [](int64_t n) { return n; });
    t.Add("times", "three", [factor](int64_t n) { return n * factor[0]; });
    return t.From([next = int64_t{0}]() mutable { return next < 2 ? std::optional(next++) : std::nullopt; },
                  2);
  };
  Table table = make();
  EXPECT_EQ(table.more_rows, 2u);
  EXPECT_TRUE(table.rows.empty());
  for (const int64_t n : {0, 1}) {
    Row row;
    ASSERT_TRUE(table.more(row));
    ASSERT_EQ(row.size(), 2u);
    EXPECT_EQ(row[0].integer(), n);
    EXPECT_EQ(row[1].integer(), 3 * n);
  }
  Row row;
  EXPECT_FALSE(table.more(row));
}

}  // namespace
}  // namespace gait::report

#include "gait/report/arrange.h"

#include <gtest/gtest.h>

#include <utility>

namespace gait::report {
namespace {

Table Flat() {
  Table table;
  table.name = "t";
  table.columns = {{"name", Type::kText}, {"time", Type::kInteger, unit::kPs}};
  table.rows = {{"b", Ps(2)}, {"a", Ps(9)}, {"d", Unknown{"why"}}, {"c", Ps(5)}};
  table.text_rows = 2;
  return table;
}

std::string Names(const Table& table) {
  std::string names;
  for (const Row& row : table.rows) names += row[0].text();
  return names;
}

TEST(Arrange, SortsNumbersDownTextUpAndUnknownLast) {
  Table table = Flat();
  ASSERT_TRUE(Arrange(table, {.sort = "time"}));
  EXPECT_EQ(Names(table), "acbd");
  EXPECT_EQ(table.text_rows, 2u);
  ASSERT_TRUE(Arrange(table, {.sort = "-time"}));
  EXPECT_EQ(Names(table), "bcad");
  ASSERT_TRUE(Arrange(table, {.sort = "name"}));
  EXPECT_EQ(Names(table), "abcd");
  table.columns[1].show.head = "a step";
  ASSERT_TRUE(Arrange(table, {.sort = "a step"}));
  EXPECT_EQ(Names(table), "acbd");
}

// The same, made while they are written.
Table Streamed() {
  Table table = Flat();
  table.more = [rows = std::exchange(table.rows, {}), next = size_t{0}](Row& row) mutable {
    if (next == rows.size()) return false;
    row = rows[next++];
    return true;
  };
  return table;
}

TEST(Arrange, RowsThatAreMadeWhileTheyAreWritten) {
  const auto names = [](const Arrangement& arrangement) {
    Table table = Streamed();
    EXPECT_TRUE(Arrange(table, arrangement));
    std::string all = Names(table);
    for (Row row; table.more && table.more(row);) all += row[0].text();
    return all + table.if_empty;
  };
  const auto not_b = [](const std::string& name) { return name != "b"; };
  EXPECT_EQ(names({.name = not_b}), "adc");
  EXPECT_EQ(names({.name = not_b, .top = 2}), "ad");
  EXPECT_EQ(names({.name = [](const std::string&) { return false; }}), "no row has such a name");
}

TEST(Arrange, SortsRowsThatAreMadeUnlessTheyAreVeryMany) {
  Table table = Streamed();
  ASSERT_TRUE(Arrange(table, {.sort = "time", .top = 2}));
  EXPECT_EQ(Names(table), "ac");
  EXPECT_FALSE(table.more);
  EXPECT_EQ(table.cut, 2u);
  const auto many = [] {  // times grow
    Table rows = Streamed();
    rows.more = [next = int64_t{0}](Row& row) mutable {
      row = Flat().rows[0];
      row[1] = Cell(next);
      return next++ < 150'000;
    };
    return rows;
  };
  Table all = many();
  EXPECT_FALSE(Arrange(all, {.sort = "time"}));
  Table most = many();
  ASSERT_TRUE(Arrange(most, {.sort = "time", .top = 3}));
  ASSERT_EQ(most.rows.size(), 3u);
  EXPECT_EQ(most.rows[2][1].RawNumber(), "149997");
  EXPECT_EQ(most.cut, 149'997u);
}

TEST(Arrange, TopCutsEveryOutputAndZeroIsAll) {
  Table table = Flat();
  ASSERT_TRUE(Arrange(table, {.top = 0}));
  EXPECT_EQ(Names(table), "badc");
  EXPECT_EQ(table.text_rows, 0u);
  EXPECT_EQ(table.cut, 0u);
  ASSERT_TRUE(Arrange(table, {.sort = "time", .top = 2}));
  EXPECT_EQ(Names(table), "ac");
  EXPECT_EQ(table.cut, 2u);
}

TEST(Arrange, NamesFilterAndAnEmptyResultSaysWhy) {
  Table table = Flat();
  ASSERT_TRUE(Arrange(table, {.name = [](const std::string& n) { return n > "b"; }}));
  EXPECT_EQ(Names(table), "dc");
  ASSERT_TRUE(Arrange(table, {.name = [](const std::string&) { return false; }}));
  EXPECT_EQ(Names(table), "");
  EXPECT_EQ(table.if_empty, "no row has such a name");
}

TEST(Arrange, RefusesAColumnThatIsNotThere) {
  Table table = Flat();
  const Result<void> result = Arrange(table, {.sort = "tim"});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().hint, "The columns are: name, time");
  EXPECT_EQ(Names(table), "badc");
}

// r ─ a(1) ─ x(5), y(7)     s(9)
//   └ b(4)
Table Tree() {
  Table table;
  table.columns = {{"name", Type::kText}, {"time", Type::kInteger, unit::kPs}, {"depth", Type::kInteger}};
  const auto row = [&](const char* name, int64_t time, int64_t depth) {
    table.rows.push_back({name, Ps(time), depth});
  };
  row("r", 5, 0), row("a", 1, 1), row("x", 5, 2), row("y", 7, 2), row("b", 4, 1), row("s", 9, 0);
  table.depth = "depth";
  return table;
}

TEST(Arrange, SortsSiblingsOfATree) {
  Table table = Tree();
  ASSERT_TRUE(Arrange(table, {.sort = "time"}));
  EXPECT_EQ(Names(table), "srbayx");
  ASSERT_TRUE(Arrange(table, {.sort = "time", .top = 1}));
  EXPECT_EQ(Names(table), "s");
  table = Tree();
  ASSERT_TRUE(Arrange(table, {.top = 1}));
  EXPECT_EQ(Names(table), "rax");
}

TEST(Arrange, ARowOfATreeKeepsWhatStandsAboveIt) {
  Table table = Tree();
  ASSERT_TRUE(Arrange(table, {.name = [](const std::string& n) { return n == "y"; }}));
  EXPECT_EQ(Names(table), "ray");
}

}  // namespace
}  // namespace gait::report

#include "gait/report/arrow.h"

#include <bit>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace gait::report {
namespace {

Table Example() {
  Table table;
  table.name = "t";
  table.columns = {{"name", Type::kText},
                   {"time", Type::kInteger, unit::kPs, {}, "how long it took"},
                   {"share", Type::kNumber, unit::kPercent},
                   {"list", Type::kAny}};
  table.rows.push_back({"a", Ps(5), 0.5, Cell::Json("[1,2]", "1 2")});
  table.rows.push_back({Unknown{"why"}, Unknown{}, Unknown{}, Unknown{}});
  table.rows.push_back({"bcd", Ps(-7), 1.5, uint64_t{3}});
  return table;
}

std::string_view Text(const ArrowArray& array, int64_t row) {
  const auto* const offsets = static_cast<const int32_t*>(array.buffers[1]);
  const auto begin = static_cast<size_t>(offsets[row]);
  return {static_cast<const char*>(array.buffers[2]) + begin, static_cast<size_t>(offsets[row + 1]) - begin};
}

bool IsValid(const ArrowArray& array, int row) {
  return array.buffers[0] == nullptr ||
         (static_cast<const uint8_t*>(array.buffers[0])[row / 8] >> (row % 8) & 1) != 0;
}

TEST(Arrow, SchemaSaysTypesAndUnits) {
  ArrowSchema schema;
  ExportSchema(MakeArrowColumns(Example()), &schema);
  ASSERT_EQ(schema.n_children, 4);
  EXPECT_STREQ(schema.format, "+s");
  EXPECT_STREQ(schema.children[0]->format, "u");
  EXPECT_STREQ(schema.children[1]->format, "l");
  EXPECT_STREQ(schema.children[2]->format, "g");
  EXPECT_STREQ(schema.children[3]->format, "u");
  EXPECT_STREQ(schema.children[1]->name, "time");
  EXPECT_EQ(schema.children[0]->metadata, nullptr);
  const std::string_view metadata(schema.children[1]->metadata, 4 + 4 + 4 + 4 + 2);
  EXPECT_EQ(metadata.substr(8, 4), "unit");
  EXPECT_EQ(metadata.substr(16, 2), "ps");
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
}

TEST(Arrow, ValuesAndNulls) {
  ArrowArray array;
  ExportArray(MakeArrowColumns(Example()), &array);
  ASSERT_EQ(array.length, 3);
  ASSERT_EQ(array.n_children, 4);
  const ArrowArray& name = *array.children[0];
  EXPECT_EQ(Text(name, 0), "a");
  EXPECT_EQ(Text(name, 2), "bcd");
  EXPECT_EQ(name.null_count, 1);
  EXPECT_TRUE(IsValid(name, 0));
  EXPECT_FALSE(IsValid(name, 1));
  EXPECT_TRUE(IsValid(name, 2));
  const auto* const times = static_cast<const int64_t*>(array.children[1]->buffers[1]);
  EXPECT_EQ(times[0], 5);
  EXPECT_EQ(times[2], -7);
  EXPECT_FALSE(IsValid(*array.children[1], 1));
  EXPECT_EQ(static_cast<const double*>(array.children[2]->buffers[1])[2], 1.5);
  EXPECT_EQ(Text(*array.children[3], 0), "[1,2]");
  EXPECT_EQ(Text(*array.children[3], 2), "3");
  array.release(&array);
}

TEST(Arrow, ChildrenMayOutliveTheirParent) {
  ArrowArray array;
  ExportArray(MakeArrowColumns(Example()), &array);
  ArrowArray moved = *array.children[0];
  array.children[0]->release = nullptr;
  array.release(&array);
  EXPECT_EQ(Text(moved, 2), "bcd");
  moved.release(&moved);
}

TEST(Arrow, LargeCountsAreUnsigned) {
  Table table;
  table.columns = {{"n", Type::kInteger}};
  table.rows.push_back({~uint64_t{0}});
  ArrowSchema schema;
  ExportSchema(MakeArrowColumns(table), &schema);
  EXPECT_STREQ(schema.children[0]->format, "L");
  schema.release(&schema);
}

TEST(Arrow, BadBytesBecomeReplacementCharacters) {
  Table table;
  table.columns = {{"s", Type::kText}};
  table.rows.push_back({std::string("a\xff")});
  ArrowArray array;
  ExportArray(MakeArrowColumns(table), &array);
  EXPECT_EQ(Text(*array.children[0], 0), "a\xef\xbf\xbd");
  array.release(&array);
}

TEST(Arrow, AStreamIsOneBatchOfAllRows) {
  Table table = Example();
  int left = 2;
  table.more = [&](Row& row) {
    row = {"more", Ps(1), 1.0, Unknown{}};
    return left-- > 0;
  };
  ArrowArrayStream stream;
  ExportStream(MakeArrowColumns(table), &stream);
  ArrowSchema schema;
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  schema.release(&schema);
  ArrowArray array;
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.length, 5);
  EXPECT_EQ(Text(*array.children[0], 4), "more");
  array.release(&array);
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.release, nullptr);
  stream.release(&stream);
}

TEST(Arrow, ATableWithoutRowsHasColumns) {
  Table table = Example();
  table.rows.clear();
  ArrowArray array;
  ExportArray(MakeArrowColumns(table), &array);
  EXPECT_EQ(array.length, 0);
  EXPECT_EQ(array.n_children, 4);
  array.release(&array);
}

}  // namespace
}  // namespace gait::report

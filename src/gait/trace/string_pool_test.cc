#include "gait/trace/string_pool.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>

namespace gait {
namespace {

TEST(StringPool, TheEmptyStringIsZero) {
  StringPool pool;
  EXPECT_EQ(pool.Intern(""), StringId(0));
  EXPECT_EQ(pool[StringId(0)], "");
  EXPECT_EQ(pool.size(), 1U);
}

TEST(StringPool, UnknownIdsAreEmptyText) {
  const StringPool pool;
  EXPECT_EQ(pool[StringId()], "");
  EXPECT_EQ(pool[StringId(77)], "");
}

TEST(StringPool, EveryDistinctStringOnce) {
  StringPool pool;
  std::unordered_map<std::string, StringId> model;
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = fmt::format("name {}", random() % 5'000);
    const StringId id = pool.Intern(text);
    const auto [known, added] = model.try_emplace(text, id);
    ASSERT_EQ(known->second, id);
    ASSERT_EQ(pool.size(), model.size() + 1);
  }
  for (const auto& [text, id] : model) {
    ASSERT_EQ(pool[id], text);
    ASSERT_EQ(pool.Find(text), id);
  }
  EXPECT_EQ(pool.Find("absent"), std::nullopt);
}

TEST(StringPool, IdsCountUpInOrderOfFirstUse) {
  StringPool pool;
  EXPECT_EQ(pool.Intern("a"), StringId(1));
  EXPECT_EQ(pool.Intern("b"), StringId(2));
  EXPECT_EQ(pool.Intern("a"), StringId(1));
}

TEST(StringPool, BytesOfAnyKindAreKept) {
  StringPool pool;
  const std::string with_zero("a\0b", 3);
  const StringId id = pool.Intern(with_zero);
  EXPECT_EQ(pool[id], with_zero);
  EXPECT_NE(pool.Intern("a"), id);
}

TEST(StringPool, LongStringsLeaveTheChunkInUse) {
  StringPool pool;
  const StringId small = pool.Intern("small");
  const std::string large(200'000, 'x');
  const StringId big = pool.Intern(large);
  const size_t before = pool.memory();
  const StringId after = pool.Intern("after");
  EXPECT_EQ(pool.memory(), before);  // no new chunk for it
  EXPECT_EQ(pool[small], "small");
  EXPECT_EQ(pool[big], large);
  EXPECT_EQ(pool[after], "after");
}

TEST(StringPool, ViewsStayValidWhileItGrows) {
  StringPool pool;
  const std::string_view first = pool[pool.Intern("the first string")];
  for (int i = 0; i < 100'000; ++i) pool.Intern(fmt::format("{}", i));
  EXPECT_EQ(first, "the first string");
}

}  // namespace
}  // namespace gait

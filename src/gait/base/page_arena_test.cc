#include "gait/base/page_arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "gait/base/thread_pool.h"

namespace gait {
namespace {

TEST(PageArena, ColumnsAreZeroAndApart) {
  PageArena arena;
  std::vector<std::span<uint32_t>> columns;
  for (const size_t count : {1, 0, 3, 1000, 1'000'000, 7, 20'000'000, 5}) {
    columns.push_back(arena.Zeros<uint32_t>(count));
    ASSERT_EQ(columns.back().size(), count);
    EXPECT_TRUE(std::ranges::all_of(columns.back(), [](uint32_t v) { return v == 0; })) << count;
    std::ranges::fill(columns.back(), static_cast<uint32_t>(columns.size()));
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_TRUE(std::ranges::all_of(columns[i], [&](uint32_t v) { return v == i + 1; })) << i;
  }
}

TEST(PageArena, ManyThreadsTakeFromOne) {
  PageArena arena;
  std::vector<std::span<size_t>> columns(500);
  ForEach(columns.size(), 8, [&](size_t i) {
    columns[i] = arena.Zeros<size_t>(100 + i);
    std::ranges::fill(columns[i], i);
  });
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_TRUE(std::ranges::all_of(columns[i], [&](size_t v) { return v == i; })) << i;
  }
}

TEST(PageArena, MoreThanThereIsIsRefused) {
  PageArena arena;
  EXPECT_THROW(arena.Zeros<uint64_t>(std::numeric_limits<size_t>::max() / 8), std::bad_alloc);
  EXPECT_THROW(arena.Zeros<uint64_t>(size_t{1} << 58), std::bad_alloc);
  EXPECT_EQ(arena.Zeros<uint64_t>(3).size(), 3U);
}

}  // namespace
}  // namespace gait

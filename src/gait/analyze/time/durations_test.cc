#include "gait/analyze/time/durations.h"

#include <random>

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

TEST(Durations, Median) {
  EXPECT_EQ(Median({}), Ps());
  EXPECT_EQ(Median({Ps(3), Ps(1), Ps(2)}), Ps(2));
  EXPECT_EQ(Median({Ps(4), Ps(1)}), Ps(2));
  EXPECT_EQ(Median({kMaxTime, kMaxTime}), kMaxTime);
}

TEST(Durations, RanksAreThoseOfTheSortedValues) {
  std::mt19937_64 random(1);
  for (const size_t count : {1, 2, 5, 99, 100, 4097}) {
    std::vector<Ps> values;
    for (size_t i = 0; i < count; ++i) values.emplace_back(static_cast<int64_t>(random() % 1000) - 500);
    const DurationStatistics found = StatisticsOf(values);
    std::ranges::sort(values);
    EXPECT_EQ(found.p50, values[(count + 1) / 2 - 1]) << count;
    EXPECT_EQ(found.p99, values[(99 * count + 99) / 100 - 1]) << count;
    EXPECT_EQ(found.min, values.front());
    EXPECT_EQ(found.max, values.back());
  }
}

}  // namespace
}  // namespace gait::analyze

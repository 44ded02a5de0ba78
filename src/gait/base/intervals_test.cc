#include "gait/base/intervals.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace gait {
namespace {

constexpr int kTimes = 96;
// The slow definition of a set of times: one bit for each.
using Bitmap = std::bitset<kTimes>;

Interval At(int64_t begin, int64_t end) { return {Ps(begin), Ps(end)}; }

Bitmap Bits(std::span<const Interval> intervals) {
  Bitmap bits;
  for (const Interval& interval : intervals) {
    for (int64_t t = interval.begin.value(); t < interval.end.value(); ++t) bits.set(static_cast<size_t>(t));
  }
  return bits;
}

// The runs of ones: sorted, disjoint, not touching, not empty by construction.
IntervalSet Runs(const Bitmap& bits) {
  IntervalSet runs;
  for (size_t t = 0; t < kTimes; ++t) {
    if (!bits[t]) continue;
    const size_t begin = t;
    while (t < kTimes && bits[t]) ++t;
    runs.push_back(At(static_cast<int64_t>(begin), static_cast<int64_t>(t)));
  }
  return runs;
}

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  int64_t Below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }

  // Any intervals, in any order; some empty, some inverted.
  std::vector<Interval> Intervals() {
    std::vector<Interval> made;
    const int64_t count = Below(14);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = Below(kTimes);
      const int64_t end = std::min<int64_t>(kTimes, begin + Below(16) - 2);
      made.push_back(At(begin, end));
    }
    return made;
  }

 private:
  std::mt19937 engine_;
};

class Intervals : public testing::TestWithParam<uint32_t> {};

TEST_P(Intervals, EveryOperationEqualsTheBitmap) {
  Random random(GetParam());
  for (int round = 0; round < 400; ++round) {
    const std::vector<Interval> any = random.Intervals();
    const IntervalSet a = Normalize(any);
    const IntervalSet b = Normalize(random.Intervals());
    const Bitmap in_a = Bits(any);
    const Bitmap in_b = Bits(b);
    ASSERT_EQ(a, Runs(in_a));
    ASSERT_EQ(Union(a, b), Runs(in_a | in_b));
    ASSERT_EQ(Intersect(a, b), Runs(in_a & in_b));
    ASSERT_EQ(Subtract(a, b), Runs(in_a & ~in_b));
    ASSERT_EQ(TotalLength(a).value(), static_cast<int64_t>(in_a.count()));

    const int64_t begin = random.Below(kTimes);
    const Interval window = At(begin, begin + random.Below(kTimes - begin + 1));
    const Bitmap in_window = Bits(std::span(&window, 1));
    ASSERT_EQ(Clip(a, window), Runs(in_a & in_window));
    ASSERT_EQ(Gaps(a, window), Runs(~in_a & in_window));
  }
}

TEST_P(Intervals, Identities) {
  Random random(GetParam());
  for (int round = 0; round < 200; ++round) {
    const IntervalSet a = Normalize(random.Intervals());
    const IntervalSet b = Normalize(random.Intervals());
    const Interval window = At(0, kTimes);
    ASSERT_EQ(TotalLength(a), TotalLength(Intersect(a, b)) + TotalLength(Subtract(a, b)));
    ASSERT_EQ(TotalLength(Union(a, b)), TotalLength(a) + TotalLength(b) - TotalLength(Intersect(a, b)));
    ASSERT_EQ(Gaps(Gaps(a, window), window), a);
    ASSERT_EQ(Union(a, b), Gaps(Intersect(Gaps(a, window), Gaps(b, window)), window));
    ASSERT_EQ(Union(a, a), a);
    ASSERT_EQ(Subtract(a, a), IntervalSet());
    ASSERT_EQ(Normalize(a), a);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Intervals, testing::Values(1, 2, 3, 4, 5));

TEST(Normalize, TouchingIntervalsJoinAndEmptyOnesVanish) {
  EXPECT_EQ(Normalize({At(5, 9), At(0, 5), At(7, 7), At(20, 10)}), IntervalSet{At(0, 9)});
  EXPECT_EQ(Normalize({At(3, 3)}), IntervalSet());
  EXPECT_EQ(Normalize({}), IntervalSet());
  EXPECT_EQ(Normalize({At(0, 2), At(3, 4)}), (IntervalSet{At(0, 2), At(3, 4)}));
}

TEST(Intervals, AnEmptyWindowHoldsNothing) {
  const IntervalSet set{At(0, 10)};
  EXPECT_EQ(Clip(set, At(5, 5)), IntervalSet());
  EXPECT_EQ(Gaps({}, At(5, 4)), IntervalSet());
}

TEST(Intervals, TotalLengthOfAListIsTheSumOfDurations) {
  const std::vector<Interval> overlapping{At(0, 10), At(5, 10)};
  EXPECT_EQ(TotalLength(overlapping), Ps(15));
}

TEST(Interval, HalfOpen) {
  EXPECT_TRUE(At(1, 3).contains(Ps(1)));
  EXPECT_FALSE(At(1, 3).contains(Ps(3)));
  EXPECT_FALSE(At(1, 3).overlaps(At(3, 5)));
  EXPECT_TRUE(At(1, 4).overlaps(At(3, 5)));
  EXPECT_TRUE(At(1, 4).contains(At(2, 4)));
  EXPECT_FALSE(At(1, 4).contains(At(2, 5)));
  EXPECT_TRUE(At(3, 1).empty());
}

TEST(Interval, TimesAtTheLimitsAddUp) {
  const Interval longest{-kMaxTime, kMaxTime};
  EXPECT_EQ(longest.length(), kMaxTime + kMaxTime);
  EXPECT_EQ(Gaps({}, longest), IntervalSet{longest});
}

}  // namespace
}  // namespace gait

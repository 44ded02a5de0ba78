#include "gait/base/units.h"

#include <gtest/gtest.h>

#include <limits>

namespace gait {
namespace {

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

TEST(Units, ScalesArePowersOfThousand) {
  EXPECT_EQ(Nanoseconds(3), Ps(3'000));
  EXPECT_EQ(Microseconds(3), Ps(3'000'000));
  EXPECT_EQ(Milliseconds(-3), Ps(-3'000'000'000));
  EXPECT_DOUBLE_EQ(Microseconds(1500).milliseconds(), 1.5);
}

TEST(Units, ProductsEndAtTheLimits) {
  EXPECT_EQ(kMaxTime * 10, Ps(kLargest));
  EXPECT_EQ(-kMaxTime * 10, Ps(kSmallest));
  EXPECT_EQ(-kMaxTime * -10, Ps(kLargest));
  EXPECT_EQ(kMaxTime * 0, Ps());
}

TEST(Units, SumsEndAtTheLimits) {
  Ps sum;
  for (int i = 0; i < 10; ++i) sum += kMaxTime;
  EXPECT_EQ(sum, Ps(kLargest));
  EXPECT_EQ(sum + kMaxTime, Ps(kLargest));
  EXPECT_EQ(-sum - kMaxTime, Ps(kSmallest));
  EXPECT_EQ(-sum - sum, Ps(kSmallest));
  EXPECT_EQ(-Ps(kSmallest), Ps(kLargest));
}

TEST(Units, ArithmeticAndOrder) {
  Ps t(10);
  t += Ps(5);
  t -= Ps(1);
  EXPECT_EQ(t, Ps(14));
  EXPECT_EQ(-t, Ps(-14));
  EXPECT_EQ(t * 3 / 2, Ps(21));
  EXPECT_LT(Ps(-1), Ps(0));
  EXPECT_EQ(Ps(), Ps(0));
}

TEST(ClampedSum, IsExactInside) {
  const ClampedTime sum = ClampedSum(7, -3);
  EXPECT_EQ(sum.time, Ps(6'997));
  EXPECT_FALSE(sum.clamped);
}

TEST(ClampedSum, TheLimitItselfIsNotClamped) {
  const int64_t limit = kMaxTime.value();
  const ClampedTime top = ClampedSum(limit / 1000, limit % 1000);
  EXPECT_EQ(top.time, kMaxTime);
  EXPECT_FALSE(top.clamped);
  const ClampedTime above = ClampedSum(limit / 1000, limit % 1000 + 1);
  EXPECT_EQ(above.time, kMaxTime);
  EXPECT_TRUE(above.clamped);
  const ClampedTime bottom = ClampedSum(-limit / 1000, -limit % 1000);
  EXPECT_EQ(bottom.time, -kMaxTime);
  EXPECT_FALSE(bottom.clamped);
  const ClampedTime below = ClampedSum(-limit / 1000, -limit % 1000 - 1);
  EXPECT_EQ(below.time, -kMaxTime);
  EXPECT_TRUE(below.clamped);
}

TEST(ClampedSum, ExtremesOfTheFileDoNotOverflow) {
  for (const int64_t ns : {kSmallest, int64_t{-1}, int64_t{0}, int64_t{1}, kLargest}) {
    for (const int64_t ps : {kSmallest, int64_t{0}, kLargest}) {
      const ClampedTime sum = ClampedSum(ns, ps);
      EXPECT_LE(sum.time, kMaxTime);
      EXPECT_GE(sum.time, -kMaxTime);
      EXPECT_EQ(sum.clamped, ns == kSmallest || ns == kLargest || ps != 0);
    }
  }
  EXPECT_EQ(ClampedSum(kLargest, kSmallest).time, kMaxTime);
  EXPECT_EQ(ClampedSum(kSmallest, kLargest).time, -kMaxTime);
}

TEST(ClampedSum, TwoClampedTimesAddUp) { EXPECT_GT((kMaxTime + kMaxTime).value(), 0); }

}  // namespace
}  // namespace gait

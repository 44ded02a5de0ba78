#include "gait/capture/remote/step_window.h"

#include <gtest/gtest.h>

namespace gait::capture::remote {
namespace {

TEST(NextWindow, EnoughIsEnough) {
  EXPECT_EQ(NextWindow(5, 500, {5, Milliseconds(80)}), std::nullopt);
  EXPECT_EQ(NextWindow(5, 500, {35, Milliseconds(14)}), std::nullopt);
}

TEST(NextWindow, GrowsByFourWithoutAPeriod) {
  EXPECT_EQ(NextWindow(5, 500, {0, {}}), 2000);
  EXPECT_EQ(NextWindow(5, kLongestWindowMs / 2, {0, {}}), kLongestWindowMs);
  EXPECT_EQ(NextWindow(5, kLongestWindowMs, {0, {}}), std::nullopt);
}

TEST(NextWindow, FollowsThePeriod) {
  // 7 periods of 300 ms and 50 ms, times 1.2.
  EXPECT_EQ(NextWindow(5, 500, {1, Milliseconds(300)}), 2580);
  // Too many steps: a shorter one.
  EXPECT_EQ(NextWindow(5, 500, {100, Milliseconds(5)}), 102);
}

TEST(NextWindow, EndsWhenLongerOrShorterIsImpossible) {
  EXPECT_EQ(NextWindow(5, 60, {100, Milliseconds(1)}), std::nullopt);
  EXPECT_EQ(NextWindow(1'000'000, kLongestWindowMs, {10, Milliseconds(1000)}), std::nullopt);
}

TEST(NextWindow, TooFewNeverMeansTheSameAgain) {
  const auto next = NextWindow(5, 1000, {3, Milliseconds(100)});
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(*next, 1500);
}

}  // namespace
}  // namespace gait::capture::remote

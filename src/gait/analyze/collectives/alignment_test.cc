#include "gait/analyze/collectives/alignment.h"

#include <gtest/gtest.h>

#include <random>

namespace gait::analyze {
namespace {

// Ends of one execution that devices of these clocks would read.
CommonEnd Ends(Ps when, const std::vector<size_t>& devices, const std::vector<int64_t>& clocks) {
  CommonEnd ends;
  for (const size_t d : devices) ends.push_back({d, when + Ps(clocks[d])});
  return ends;
}

TEST(Alignment, NothingToCompareIsUnknown) {
  const auto none = AlignClocks(2, {});
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[0].samples, 0u);
  EXPECT_NE(none[0].component, none[1].component);
  EXPECT_EQ(AlignClocks(2, {{{0, Ps(5)}}})[0].samples, 0u);  // alone
  EXPECT_TRUE(AlignClocks(0, {}).empty());
}

TEST(Alignment, ConstantOffsetsOfOneGroupComeBack) {
  const std::vector<int64_t> clocks = {0, 700, -300, 12};
  std::vector<CommonEnd> ends;
  for (int64_t i = 0; i < 5; ++i) ends.push_back(Ends(Milliseconds(i), {0, 1, 2, 3}, clocks));
  const auto found = AlignClocks(4, ends);
  for (size_t d = 0; d < 4; ++d) {
    EXPECT_EQ(found[d].offset, Ps(clocks[d]));
    EXPECT_EQ(found[d].spread, Ps());
    EXPECT_EQ(found[d].samples, 5u);
    EXPECT_EQ(found[d].component, 0u);
  }
}

TEST(Alignment, OneLateEndDoesNotMoveTheMedian) {
  const std::vector<int64_t> clocks = {0, 100};
  std::vector<CommonEnd> ends;
  for (int64_t i = 0; i < 5; ++i) ends.push_back(Ends(Milliseconds(i), {0, 1}, clocks));
  ends[2][1].end += Milliseconds(50);
  const auto found = AlignClocks(2, ends);
  EXPECT_EQ(found[1].offset, Ps(100));
  EXPECT_EQ(found[1].spread, Ps());
}

// Rows and columns of a 2 x 3 mesh: no group has all devices, together they connect them.
TEST(Alignment, OverlappingSubgroupsAreSolvedTogether) {
  const std::vector<int64_t> clocks = {0, 4000, -6000, 8000, 1000, -2000};
  std::vector<CommonEnd> ends;
  for (int64_t i = 0; i < 3; ++i) {
    for (const auto& group : std::vector<std::vector<size_t>>{{0, 1, 2}, {3, 4, 5}, {0, 3}, {1, 4}, {2, 5}}) {
      ends.push_back(Ends(Microseconds(i * 10), group, clocks));
    }
  }
  const auto found = AlignClocks(6, ends);
  for (size_t d = 0; d < 6; ++d) {
    EXPECT_EQ(found[d].offset, Ps(clocks[d])) << d;
    EXPECT_EQ(found[d].component, 0u);
  }
}

TEST(Alignment, GroupsThatShareNoDeviceCannotBeCompared) {
  const std::vector<int64_t> clocks = {0, 10, 500, 530};
  const auto found = AlignClocks(4, {Ends(Ps(9), {0, 1}, clocks), Ends(Ps(90), {2, 3}, clocks)});
  EXPECT_EQ(found[0].component, found[1].component);
  EXPECT_EQ(found[2].component, found[3].component);
  EXPECT_NE(found[0].component, found[2].component);
  EXPECT_EQ(found[1].offset, Ps(10));
  EXPECT_EQ(found[2].offset, Ps());  // the first of its component
  EXPECT_EQ(found[3].offset, Ps(30));
}

TEST(Alignment, NoiseIsReportedAsSpread) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> noise(-1000, 1000);
  const std::vector<int64_t> clocks = {0, 2'000'000};
  std::vector<CommonEnd> ends;
  for (int64_t i = 0; i < 501; ++i) {
    ends.push_back(Ends(Microseconds(i), {0, 1}, clocks));
    for (EndOnDevice& e : ends.back()) e.end += Ps(noise(random));
  }
  const auto found = AlignClocks(2, ends);
  EXPECT_NEAR(static_cast<double>(found[1].offset.value()), 2e6, 200);
  EXPECT_GT(found[1].spread, Ps(100));
  EXPECT_LT(found[1].spread, Ps(1000));
}

TEST(Alignment, AbsurdTimesStayInRange) {
  const auto found = AlignClocks(2, {{{0, kMaxTime}, {1, -kMaxTime}}});
  EXPECT_GE(found[1].offset, -kMaxTime);
  EXPECT_LE(found[1].offset, kMaxTime);
}

}  // namespace
}  // namespace gait::analyze

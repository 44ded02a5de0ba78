#include "gait/analyze/operations/coverage.h"

#include <gtest/gtest.h>

#include <random>

namespace gait::analyze {
namespace {

// Every pair of operations is a group, and every operation by itself.
Membership PairsOf(uint32_t operations) {
  Membership membership{0, std::vector<std::vector<uint32_t>>(operations)};
  for (uint32_t a = 0; a < operations; ++a) {
    for (uint32_t b = a; b < operations; ++b) {
      const auto group = static_cast<uint32_t>(membership.groups++);
      membership.of[a].push_back(group);
      if (a != b) membership.of[b].push_back(group);
    }
  }
  return membership;
}

struct Placed {
  Interval time;
  uint32_t operation;
};

void ExpectUnions(const std::vector<Placed>& pieces, uint32_t operations) {
  const Membership membership = PairsOf(operations);
  Coverage coverage(operations);
  for (const Placed& piece : pieces) coverage.Add(piece.operation, piece.time);
  std::vector<Ps> times(membership.groups);
  coverage.AddTimes(membership, times);
  std::vector<std::vector<Interval>> of_group(membership.groups);
  for (const Placed& piece : pieces) {
    for (const uint32_t group : membership.of[piece.operation]) of_group[group].push_back(piece.time);
  }
  for (size_t g = 0; g < membership.groups; ++g) {
    EXPECT_EQ(times[g].value(), TotalLength(Normalize(of_group[g])).value()) << "group " << g;
  }
}

TEST(Coverage, IsTheLengthOfTheUnionOfAnyGroup) {
  std::mt19937 random(7);
  // Kernels that follow each other, that overlap the one before, and that crowd.
  for (const int64_t longest : {5, 12, 30, 300}) {
    std::vector<Placed> pieces;
    int64_t at = 0;
    for (int i = 0; i < 400; ++i) {
      at += static_cast<int64_t>(random() % 16);
      const auto length = static_cast<int64_t>(random() % static_cast<uint64_t>(longest));
      pieces.push_back({{Ps(at), Ps(at + length)}, static_cast<uint32_t>(random() % 6)});
    }
    ExpectUnions(pieces, 6);
  }
}

TEST(Coverage, HoldsTheLongestTimesThereAre) {
  ExpectUnions({{{-kMaxTime, kMaxTime}, 0}, {{-kMaxTime, kMaxTime}, 1}, {{-kMaxTime, kMaxTime}, 0}}, 2);
}

TEST(Coverage, KnowsThePiecesOfAnOperationAndWhatFollowsWhat) {
  Coverage coverage(3);
  coverage.Add(1, {Ps(3), Ps(3)});
  coverage.Add(2, {Ps(3), Ps(5)});
  coverage.Add(1, {Ps(4), Ps(9)});
  coverage.Add(2, {Ps(20), Ps(21)});
  EXPECT_EQ(coverage.operations()[0].pieces, 0);
  EXPECT_EQ(coverage.operations()[1].pieces, 2);
  EXPECT_EQ(coverage.operations()[1].first, (Interval{Ps(3), Ps(3)}));
  EXPECT_EQ(coverage.operations()[1].durations, Ps(5));
  ASSERT_EQ(coverage.pairs().size(), 2);
  EXPECT_EQ(coverage.pairs()[0].operation, 2);
  EXPECT_EQ(coverage.pairs()[0].other, 1);
  EXPECT_EQ(coverage.pairs()[0].follows, 2);
  EXPECT_EQ(coverage.pairs()[0].shared, Ps());
  EXPECT_EQ(coverage.pairs()[1].follows, 1);
  EXPECT_EQ(coverage.pairs()[1].shared, Ps(1));
}

}  // namespace
}  // namespace gait::analyze

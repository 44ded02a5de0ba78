#include "gait/trace/loss.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "gait/base/limits.h"

namespace gait {
namespace {

uint64_t Total(const LossLog& log) {
  uint64_t total = 0;
  for (const Loss& loss : log.losses()) total += loss.count;
  return total;
}

TEST(LossLog, CountsByKindPlaceAndReason) {
  LossLog log;
  log.Add(LossKind::kDropped, "a", "r", 2);
  log.Add(LossKind::kDropped, "b", "r");
  log.Add(LossKind::kRepaired, "a", "r");
  log.Add(LossKind::kDropped, "a", "q");
  log.Add(LossKind::kDropped, "a", "r", 3);
  ASSERT_EQ(log.losses().size(), 4U);
  EXPECT_EQ(log.losses()[0], (Loss{LossKind::kDropped, "a", "r", 5}));
}

TEST(LossLog, NothingLostIsNoLoss) {
  LossLog log;
  log.Add(LossKind::kDropped, "a", "r", 0);
  EXPECT_TRUE(log.losses().empty());
}

TEST(LossLog, MergeAddsUp) {
  LossLog a, b;
  a.Add(LossKind::kDropped, "a", "r", 2);
  b.Add(LossKind::kDropped, "a", "r", 3);
  b.Add(LossKind::kCapped, "c", "r", 1);
  a.Merge(b);
  ASSERT_EQ(a.losses().size(), 2U);
  EXPECT_EQ(a.losses()[0].count, 5U);
  EXPECT_EQ(a.losses()[1].place, "c");
}

TEST(LossLog, FurtherPlacesAreSummedUp) {
  LossLog log;
  const size_t places = limits::kMaxLossPlaces + 500;
  for (size_t i = 0; i < places; ++i) log.Add(LossKind::kDropped, fmt::format("place {}", i), "r");
  EXPECT_EQ(log.losses().size(), limits::kMaxLossPlaces + 1);
  EXPECT_EQ(Total(log), places);
  EXPECT_EQ(log.losses().back().count, 500U);
}

TEST(LossLog, FurtherReasonsAreSummedUpToo) {
  LossLog log;
  const size_t reasons = limits::kMaxLossPlaces + 5'000;
  for (size_t i = 0; i < reasons; ++i) log.Add(LossKind::kCapture, "error", fmt::format("message {}", i));
  EXPECT_EQ(log.losses().size(), 2 * limits::kMaxLossPlaces + 1);
  EXPECT_EQ(Total(log), reasons);
}

TEST(LossLog, EveryKindHasAName) {
  for (int kind = 0; kind <= static_cast<int>(LossKind::kCapture); ++kind) {
    EXPECT_NE(Name(static_cast<LossKind>(kind)), "unknown");
  }
}

}  // namespace
}  // namespace gait

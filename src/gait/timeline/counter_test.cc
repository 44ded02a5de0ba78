#include "gait/timeline/counter.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace gait::timeline {
namespace {

double ValueAt(const std::vector<CounterPoint>& points, Ps time) {
  double value = 0;
  for (const CounterPoint& point : points) {
    if (point.time <= time) value = point.value;
  }
  return value;
}

TEST(Counter, EveryBucketIsWhatItsInstantsAre) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<CounterPoint> points;
    int64_t at = 100;
    for (size_t i = 0, n = 1 + random() % 200; i < n; ++i) {
      at += static_cast<int64_t>(random() % 9);
      points.push_back({Ps(at), static_cast<double>(random() % 50)});
    }
    const Counter counter(points);
    const Window window{Ps(static_cast<int64_t>(random() % 300)), static_cast<int>(random() % 5), 40};
    const CounterTile tile = counter.Look(window);
    size_t next = 0;
    double holds = 0;
    for (uint32_t b = 0; b < window.buckets; ++b) {
      const Ps begin = window.begin + window.width() * b;
      double low = ValueAt(points, begin);
      double high = low;
      double sum = 0;
      for (int64_t t = 0; t < window.width().value(); ++t) {
        const double value = ValueAt(points, begin + Ps(t));
        low = std::min(low, value);
        high = std::max(high, value);
        sum += value;
      }
      if (next < tile.buckets.size() && tile.buckets[next].bucket == b) {
        const CounterTile::Bucket& bucket = tile.buckets[next++];
        EXPECT_EQ(bucket.low, low);
        EXPECT_EQ(bucket.high, high);
        EXPECT_NEAR(bucket.mean, sum / static_cast<double>(window.width().value()), 1e-9);
        holds = bucket.last;
      } else {
        EXPECT_EQ(low, holds) << "bucket " << b << " is not listed and has another value";
        EXPECT_EQ(high, holds);
      }
    }
    EXPECT_EQ(next, tile.buckets.size());
  }
}

TEST(Counter, OfSeveralValuesAtOneTimeTheLastCounts) {
  const Counter counter({{Ps(5), 1}, {Ps(5), 9}, {Ps(8), 0}});
  EXPECT_EQ(counter.points().size(), 2U);
  EXPECT_EQ(counter.high(), 9);
}

TEST(Counter, WithoutPointsHasNothing) { EXPECT_TRUE(Counter({}).Look({Ps(0), 4, 10}).buckets.empty()); }

}  // namespace
}  // namespace gait::timeline

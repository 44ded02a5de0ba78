#include "gait/timeline/slice_row.h"

#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "gait/base/intervals.h"
#include "gait/base/limits.h"
#include "gait/trace/trace_builder.h"

namespace gait::timeline {
namespace {

struct GivenSlice {
  int64_t begin;
  int64_t duration;
  uint32_t name;
};

// A track of these slices in one order; names by event are in `names` once it is finished.
class Row {
 public:
  Row(const std::vector<GivenSlice>& slices, Layout layout) {
    TraceBuilder builder;
    Plane plane;
    plane.name = builder.Intern("p");
    TrackInfo info;
    info.plane = builder.AddPlane(plane);
    info.layout = layout;
    TrackWriter writer = builder.NewTrack(info);
    for (const GivenSlice& slice : slices) {
      writer.Event(Ps(slice.begin), Ps(slice.duration), builder.Intern("n" + std::to_string(slice.name)));
    }
    builder.Add(std::move(writer));
    trace_ = std::make_unique<Trace>(std::move(builder).Finish());
    for (size_t i = 0; i < track().size(); ++i) {
      names_.push_back(static_cast<uint32_t>(
          std::stoul(std::string(trace_->name({TrackId(0), EventIndex(i)})).substr(1))));
    }
  }
  const Track& track() const { return trace_->tracks()[0]; }
  const std::vector<uint32_t>& names() const { return names_; }
  PageArena& arena() const { return *arena_; }

 private:
  std::unique_ptr<Trace> trace_;
  std::vector<uint32_t> names_;
  std::unique_ptr<PageArena> arena_ = std::make_unique<PageArena>();
};

std::vector<uint32_t> Lane(const Track& track, uint32_t lane) {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < track.size(); ++i) {
    if (track.lane(EventIndex(i)) == lane) order.push_back(i);
  }
  return order;
}

// The slow definition of slice_row.h, slice by slice.
SliceTile Slow(const Row& row, std::vector<uint32_t> order, const Window& window, Drawing drawing) {
  const Track& track = row.track();
  if (order.empty()) {
    for (uint32_t i = 0; i < track.size(); ++i) order.push_back(i);
  }
  SliceTile tile;
  struct Sum {
    Ps busy;
    uint32_t count = 0;
    uint32_t event = kNoName;
    std::map<uint32_t, Ps> by_name;
  };
  std::map<uint32_t, Sum> sums;
  std::vector<Interval> before;
  for (const uint32_t i : order) {
    const Interval slice = track.interval(EventIndex(i));
    const IntervalSet pieces = Subtract(Normalize({slice}), Normalize(before));
    before.push_back(slice);
    const Ps piece = TotalLength(pieces);
    if (drawing == Drawing::kSlices && piece >= window.width()) {
      if (slice.begin < window.end() && slice.end > window.begin)
        tile.slices.push_back({slice.begin, slice.length(), row.names()[i], i});
      continue;
    }
    for (uint32_t b = 0; b < window.buckets; ++b) {
      const Interval bucket{window.begin + window.width() * b, window.begin + window.width() * (b + 1)};
      const Ps busy = TotalLength(Clip(pieces, bucket));
      const bool begins = bucket.contains(slice.begin);
      if (busy == Ps() && !begins) continue;
      Sum& sum = sums[b];
      sum.busy += busy;
      sum.count += begins ? 1 : 0;
      if (sum.event == kNoName) sum.event = i;
      sum.by_name[row.names()[i]] += busy;
    }
  }
  for (const auto& [b, sum] : sums) {
    uint32_t name = sum.by_name.begin()->first;
    for (const auto& [n, time] : sum.by_name) {
      if (time > sum.by_name.at(name)) name = n;
    }
    // Where no name has more than half, the fast method may choose another: kNoName.
    const bool sure = sum.by_name.size() <= 1 || sum.by_name.at(name) * 2 > sum.busy;
    tile.buckets.push_back({b, sum.count, sure ? name : kNoName, sum.event, sum.busy});
  }
  return tile;
}

// The same for a lane, without the slices that lie so far from the window that they cannot matter to it.
SliceTile SlowNear(const Row& row, std::vector<uint32_t> order, const Window& window, Drawing drawing) {
  if (order.empty()) {
    for (uint32_t i = 0; i < row.track().size(); ++i) order.push_back(i);
  }
  std::erase_if(order, [&](uint32_t i) {
    const Interval slice = row.track().interval(EventIndex(i));
    return slice.end < window.begin || slice.begin > window.end();
  });
  return order.empty() ? SliceTile() : Slow(row, order, window, drawing);
}

void ExpectSame(const SliceTile& fast, const SliceTile& slow) {
  ASSERT_EQ(fast.slices.size(), slow.slices.size());
  for (size_t i = 0; i < fast.slices.size(); ++i) {
    EXPECT_EQ(fast.slices[i].begin, slow.slices[i].begin);
    EXPECT_EQ(fast.slices[i].duration, slow.slices[i].duration);
    EXPECT_EQ(fast.slices[i].name, slow.slices[i].name);
    EXPECT_EQ(fast.slices[i].event, slow.slices[i].event);
  }
  ASSERT_EQ(fast.buckets.size(), slow.buckets.size());
  for (size_t i = 0; i < fast.buckets.size(); ++i) {
    EXPECT_EQ(fast.buckets[i].bucket, slow.buckets[i].bucket);
    EXPECT_EQ(fast.buckets[i].busy, slow.buckets[i].busy);
    EXPECT_EQ(fast.buckets[i].count, slow.buckets[i].count);
    EXPECT_EQ(fast.buckets[i].event, slow.buckets[i].event);
    if (slow.buckets[i].name != kNoName) {
      EXPECT_EQ(fast.buckets[i].name, slow.buckets[i].name);
    }
  }
}

// What the tile covers of the window; must be the union's length.
Ps Covered(const SliceTile& tile, const Window& window) {
  std::vector<Interval> slices;
  for (const SliceTile::Slice& slice : tile.slices)
    slices.push_back({slice.begin, slice.begin + slice.duration});
  Ps sum = TotalLength(Clip(Normalize(slices), {window.begin, window.end()}));
  for (const SliceTile::Bucket& bucket : tile.buckets) sum += bucket.busy;
  return sum;
}

class RandomRows : public testing::TestWithParam<int> {};

TEST_P(RandomRows, EveryWindowIsTheSlowOne) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  std::vector<GivenSlice> slices;
  int64_t at = -500;
  const int64_t most = int64_t{1} << (1 + below(12));
  for (int i = 0, n = static_cast<int>(below(400)); i < n; ++i) {
    at += below(3) == 0 ? below(most * 8) : below(most / 4 + 1);
    slices.push_back({at, below(4) == 0 ? below(most * 4) : below(most), static_cast<uint32_t>(below(6))});
  }
  const Layout layout = GetParam() % 2 == 0 ? Layout::kLanes : Layout::kNested;
  const Row row(slices, layout);
  std::vector<std::vector<uint32_t>> orders = {{}};
  for (uint32_t lane = 0; lane < row.track().lanes(); ++lane) orders.push_back(Lane(row.track(), lane));
  const SliceRow merged(row.track(), row.names(), row.arena());
  const std::vector<SliceRow> lanes = SliceRow::Lanes(row.track(), row.names(), row.arena());
  for (size_t r = 0; r < orders.size(); ++r) {
    const std::vector<uint32_t>& order = orders[r];
    const SliceRow& fast = r == 0 ? merged : lanes[r - 1];
    for (int w = 0; w < 8; ++w) {
      const Window window{Ps(below(at + 2000) - 800), static_cast<int>(below(14)),
                          static_cast<uint32_t>(1 + below(60))};
      for (const Drawing drawing : {Drawing::kSlices, Drawing::kBuckets}) {
        const SliceTile tile = fast.Look(window, drawing);
        ExpectSame(tile, Slow(row, order, window, drawing));
        if (HasFailure()) return;
        std::vector<Interval> all;
        for (const uint32_t i : order) all.push_back(row.track().interval(EventIndex(i)));
        for (size_t i = 0; order.empty() && i < row.track().size(); ++i)
          all.push_back(row.track().interval(EventIndex(i)));
        // Slices of several lanes that are drawn whole may lie over pieces in buckets.
        if (!order.empty() || drawing == Drawing::kBuckets) {
          EXPECT_EQ(Covered(tile, window), TotalLength(Clip(Normalize(all), {window.begin, window.end()})));
        }
        EXPECT_LE(tile.slices.size(), window.buckets + 1U);
        EXPECT_LE(tile.buckets.size(), window.buckets);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(SliceRow, RandomRows, testing::Range(0, 40));

TEST(SliceRow, TheLastLaneOfACrowdedTrackOverlaps) {
  std::vector<GivenSlice> slices;
  for (uint32_t i = 0; i < limits::kMaxLanes + 200; ++i) slices.push_back({i * 3, 2000 - i, i % 6});
  const Row row(slices, Layout::kLanes);
  ASSERT_TRUE(row.track().crowded());
  const uint32_t last = row.track().lanes() - 1;
  const std::vector<uint32_t> order = Lane(row.track(), last);
  ASSERT_GT(order.size(), 100U);
  const std::vector<SliceRow> lanes = SliceRow::Lanes(row.track(), row.names(), row.arena());
  for (const int level : {2, 5, 9}) {
    const Window window{Ps(700), level, 2500U >> level};
    for (const Drawing drawing : {Drawing::kSlices, Drawing::kBuckets})
      ExpectSame(lanes[last].Look(window, drawing), Slow(row, order, window, drawing));
  }
}

// Rows with so many slices that what lies around borders is kept; windows on its grid and beside it.
TEST(SliceRow, BordersThatAreKnownAreTheSlowOnes) {
  std::mt19937 random(11);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (const int lanes : {1, 2}) {
    std::vector<GivenSlice> slices;
    int64_t at = 0;
    // The track of two lanes is summed up in two blocks.
    for (int i = 0; i < (lanes == 1 ? 17'000 : 80'000); ++i) {
      // Nothing, short ones, some that are wide where borders are known, gaps; a second lane overlaps.
      const int64_t duration = below(16) == 0 ? 0 : below(300) == 0 ? 200 + below(3000) : 1 + below(20);
      slices.push_back({at, duration, static_cast<uint32_t>(below(5))});
      at += (lanes == 1 ? duration : duration * 2 / 3) + (below(200) == 0 ? below(4000) : below(3));
      at += duration == 0 ? 1 : 0;  // at one time they would be of two lanes
    }
    const Row row(slices, Layout::kLanes);
    std::vector<SliceRow> rows;
    if (row.track().lanes() == 1) {
      rows.emplace_back(row.track(), row.names(), row.arena());
    } else {
      rows = SliceRow::Lanes(row.track(), row.names(), row.arena());
    }
    ASSERT_EQ(rows.size() == 1, lanes == 1);
    int known = 0;
    for (int w = 0; w < 40; ++w) {
      const int level = 6 + static_cast<int>(below(6));
      const Ps beside(w % 4 == 0 ? below(3) : 0);
      const Ps begin = Ps((below(at + 10'000) - 5'000) >> level << level) + beside;
      const Window window{begin, level, static_cast<uint32_t>(1 + below(8))};
      known += rows[0].KnowsBorders(window) ? 1 : 0;
      const std::vector<uint32_t> order = lanes == 1 ? std::vector<uint32_t>() : Lane(row.track(), 0);
      for (const Drawing drawing : {Drawing::kSlices, Drawing::kBuckets}) {
        ExpectSame(rows[0].Look(window, drawing), SlowNear(row, order, window, drawing));
        if (HasFailure()) return;
      }
    }
    EXPECT_GT(known, 4);
    EXPECT_LT(known, 40);
    const Window whole{Ps(0), 18, static_cast<uint32_t>((at + 10'000) >> 18) + 1};
    for (uint32_t lane = 0; lane < rows.size(); ++lane) {
      std::vector<Interval> all;
      for (const uint32_t i : Lane(row.track(), lane)) all.push_back(row.track().interval(EventIndex(i)));
      EXPECT_EQ(Covered(rows[lane].Look(whole, Drawing::kBuckets), whole), TotalLength(all)) << lane;
    }
  }
}

TEST(SliceRow, ASliceAsWideAsABucketIsASlice) {
  const Row row({{16, 16, 1}, {32, 15, 2}}, Layout::kLanes);
  const SliceTile tile =
      SliceRow(row.track(), row.names(), row.arena()).Look({Ps(0), 4, 4}, Drawing::kSlices);
  ASSERT_EQ(tile.slices.size(), 1U);
  EXPECT_EQ(tile.slices[0].name, 1U);
  ASSERT_EQ(tile.buckets.size(), 1U);
  EXPECT_EQ(tile.buckets[0].bucket, 2U);
  EXPECT_EQ(tile.buckets[0].busy, Ps(15));
}

TEST(SliceRow, SlicesWithoutLengthAreCounted) {
  const Row row({{5, 0, 1}, {5, 0, 2}, {100, 0, 3}}, Layout::kNested);
  const SliceRow slices(row.track(), row.names(), row.arena());
  const SliceTile tile = slices.Look({Ps(0), 0, 128}, Drawing::kSlices);
  ASSERT_EQ(tile.buckets.size(), 2U);
  EXPECT_EQ(tile.buckets[0].count, 2U);
  EXPECT_EQ(tile.buckets[0].busy, Ps(0));
  EXPECT_NE(tile.buckets[0].name, kNoName);
  EXPECT_EQ(tile.buckets[1].count, 1U);
}

TEST(SliceRow, NothingIsNothing) {
  const Row row({}, Layout::kLanes);
  const SliceTile tile =
      SliceRow(row.track(), row.names(), row.arena()).Look({Ps(0), 10, 10}, Drawing::kSlices);
  EXPECT_TRUE(tile.slices.empty() && tile.buckets.empty());
}

TEST(Heaviest, FindsWhatHasMoreThanHalf) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::map<uint32_t, float> exact;
    std::vector<Heaviest> parts(1 + random() % 5);
    float all = 0;
    for (int i = 0; i < 60; ++i) {
      const auto name = static_cast<uint32_t>(random() % 3 == 0 ? random() % 20 : 7);
      const auto weight = static_cast<float>(random() % 100);
      exact[name] += weight;
      all += weight;
      parts[random() % parts.size()].Add(name, weight);
    }
    Heaviest merged;
    for (const Heaviest& part : parts) merged.Merge(part);
    if (exact[7] * 2 > all) {
      EXPECT_EQ(merged.name(), 7U);
    }
  }
}

TEST(Heaviest, IsExactForThreeNames) {
  Heaviest heaviest;
  EXPECT_EQ(heaviest.name(), kNoName);
  heaviest.Add(4, 0);
  EXPECT_EQ(heaviest.name(), 4U);
  heaviest.Add(5, 2);
  heaviest.Add(6, 3);
  heaviest.Add(5, 2);
  EXPECT_EQ(heaviest.name(), 5U);
}

}  // namespace
}  // namespace gait::timeline

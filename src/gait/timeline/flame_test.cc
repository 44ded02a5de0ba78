#include "gait/timeline/flame.h"

#include <gtest/gtest.h>

#include "gait/trace/trace_builder.h"

namespace gait::timeline {
namespace {

struct Given {
  int64_t begin;
  int64_t end;
  uint32_t name;
};

class Flame : public testing::Test {
 protected:
  std::vector<FlameNode> Find(const std::vector<Given>& slices, Interval window, double least = 0) {
    TraceBuilder builder;
    Plane plane;
    plane.name = builder.Intern("p");
    TrackInfo info;
    info.plane = builder.AddPlane(plane);
    info.layout = Layout::kNested;
    TrackWriter writer = builder.NewTrack(info);
    for (const Given& slice : slices) {
      writer.Event(Ps(slice.begin), Ps(slice.end - slice.begin), builder.Intern(std::to_string(slice.name)));
    }
    builder.Add(std::move(writer));
    const Trace trace = std::move(builder).Finish();
    const Track& track = trace.tracks()[0];
    std::vector<uint32_t> names;
    std::vector<EventIndex> order;
    for (size_t i = 0; i < track.size(); ++i) {
      names.push_back(
          static_cast<uint32_t>(std::stoul(std::string(trace.name({TrackId(0), EventIndex(i)})))));
      order.emplace_back(i);
    }
    FlameTree tree([&](uint32_t id) -> std::string_view { return texts_.at(id); });
    tree.Add(track, names, order, window);
    left_out_ = 0;
    return tree.Nodes(least, left_out_);
  }

  std::vector<std::string> texts_ = {"main", "f", "g", "f"};  // 1 and 3 are called the same
  uint64_t left_out_ = 0;
};

TEST_F(Flame, CallsOfOneNameAreMerged) {
  const auto nodes =
      Find({{0, 100, 0}, {10, 30, 1}, {15, 20, 2}, {40, 80, 3}, {200, 210, 2}}, {Ps(0), Ps(300)});
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].name, "main");
  EXPECT_EQ(nodes[0].total, Ps(100));
  EXPECT_EQ(nodes[0].self, Ps(40));
  EXPECT_EQ(nodes[1].name, "f");
  EXPECT_EQ(nodes[1].depth, 1);
  EXPECT_EQ(nodes[1].total, Ps(60));
  EXPECT_EQ(nodes[1].self, Ps(55));
  EXPECT_EQ(nodes[1].count, 2u);
  EXPECT_EQ(nodes[2].name, "g");
  EXPECT_EQ(nodes[2].depth, 2);
  EXPECT_EQ(nodes[3].name, "g");
  EXPECT_EQ(nodes[3].depth, 0);
}

TEST_F(Flame, OnlyTheWindowCounts) {
  const auto nodes = Find({{0, 100, 0}, {10, 30, 1}}, {Ps(20), Ps(50)});
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].total, Ps(30));
  EXPECT_EQ(nodes[1].total, Ps(10));
  EXPECT_EQ(nodes[0].self, Ps(20));
}

TEST_F(Flame, WhatIsNarrowerThanAPixelIsCountedAndLeftOut) {
  const auto nodes = Find({{0, 1000, 0}, {1000, 1001, 1}}, {Ps(0), Ps(2000)}, 0.01);
  EXPECT_EQ(nodes.size(), 1u);
  EXPECT_EQ(left_out_, 1u);
}

TEST_F(Flame, NothingAtAll) { EXPECT_TRUE(Find({}, {Ps(0), Ps(10)}).empty()); }

}  // namespace
}  // namespace gait::timeline

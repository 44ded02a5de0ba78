#include "gait/trace/trace_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "gait/base/limits.h"
#include "gait/trace/testing/same_trace.h"

namespace gait {
namespace {

struct Event {
  int64_t begin;
  int64_t duration;
  std::string name = "e";
};

class Writing {
 public:
  explicit Writing(Layout layout) : writer_(NewTrack(layout)) {}

  Writing& Add(const Event& event) {
    writer_.Event(Ps(event.begin), Ps(event.duration), builder_.Intern(event.name));
    return *this;
  }
  TrackWriter& writer() { return writer_; }
  TraceBuilder& builder() { return builder_; }

  const Trace& Finish() {
    builder_.Add(std::move(writer_));
    trace_ = std::move(builder_).Finish();
    return trace_;
  }

 private:
  TrackWriter NewTrack(Layout layout) {
    Plane plane;
    plane.name = builder_.Intern("/host:CPU");
    TrackInfo info;
    info.plane = builder_.AddPlane(plane);
    info.name = builder_.Intern("thread");
    info.layout = layout;
    return builder_.NewTrack(info);
  }

  TraceBuilder builder_;
  TrackWriter writer_;
  Trace trace_;
};

const Trace& Build(Writing& writing, const std::vector<Event>& events) {
  for (const Event& event : events) writing.Add(event);
  return writing.Finish();
}

std::vector<std::string> Names(const Trace& trace) {
  std::vector<std::string> names;
  const Track& track = trace.tracks()[0];
  for (uint32_t i = 0; i < track.size(); ++i) names.emplace_back(trace.text(track.name(EventIndex(i))));
  return names;
}

// Parents by name; "-" without.
std::vector<std::string> Parents(const Trace& trace) {
  std::vector<std::string> parents;
  const Track& track = trace.tracks()[0];
  for (uint32_t i = 0; i < track.size(); ++i) {
    const EventIndex parent = track.parent(EventIndex(i));
    parents.emplace_back(parent.valid() ? trace.text(track.name(parent)) : "-");
  }
  return parents;
}

uint64_t LossCount(const Trace& trace, std::string_view reason) {
  uint64_t count = 0;
  for (const Loss& loss : trace.losses())
    count += loss.reason.find(reason) != std::string::npos ? loss.count : 0;
  return count;
}

// The promise of track.h, by comparing all pairs.
void ExpectLanesDoNotOverlap(const Track& track) {
  for (uint32_t i = 0; i < track.size(); ++i) {
    ASSERT_LT(track.lane(EventIndex(i)), track.lanes());
    for (uint32_t j = 0; j < i; ++j) {
      if (track.lane(EventIndex(i)) != track.lane(EventIndex(j))) continue;
      ASSERT_FALSE(track.interval(EventIndex(i)).overlaps(track.interval(EventIndex(j))))
          << i << " and " << j;
    }
  }
}

using Strings = std::vector<std::string>;

TEST(TraceBuilder, SortsByBeginThenLongerFirstAndKeepsTheRestAsWritten) {
  Writing writing(Layout::kNested);
  const Trace& trace =
      Build(writing, {{20, 5, "c"}, {10, 5, "b"}, {10, 9, "a"}, {10, 5, "b2"}, {10, 5, "b3"}});
  EXPECT_EQ(Names(trace), (Strings{"a", "b", "b2", "b3", "c"}));
  EXPECT_EQ(LossCount(trace, "out of order"), 1U);
}

TEST(TraceBuilder, EventsInOrderAreNoLoss) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {{0, 10}, {0, 10}, {3, 2}, {5, 0}});
  EXPECT_TRUE(trace.losses().empty());
}

TEST(TraceBuilder, WhatEndsLongAfterTheProfilerStoppedIsDoubtful) {
  constexpr int64_t kSecond = 1'000'000'000'000;
  Writing writing(Layout::kNested);
  writing.builder().environment().start_unix_ns = 1'000'000'000;
  writing.builder().environment().stop_unix_ns = 11'000'000'000;
  // Ten seconds of capture: what was in flight may take as long again, and a minute.
  const Trace& trace = Build(writing, {{0, 11 * kSecond}, {1, 80 * kSecond}, {81 * kSecond, 1}, {5, 5}});
  ASSERT_EQ(trace.tracks()[0].size(), 4);
  ASSERT_EQ(trace.losses().size(), 2);
  EXPECT_EQ(LossText(trace.losses()[1], "2"),
            "2 doubtful: ends long after the profiler stopped (/host:CPU thread)");
}

TEST(TraceBuilder, NestsByContainment) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(
      writing, {{0, 100, "a"}, {0, 50, "b"}, {10, 10, "c"}, {20, 10, "d"}, {60, 10, "e"}, {100, 5, "f"}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "a", "b", "b", "a", "-"}));
  const Track& track = trace.tracks()[0];
  EXPECT_EQ(track.depth(EventIndex(2)), 2U);
  EXPECT_EQ(track.depth(EventIndex(5)), 0U);
  EXPECT_EQ(track.lanes(), 3U);
}

TEST(TraceBuilder, APartialOverlapMakesNobodyAParent) {
  Writing writing(Layout::kNested);
  // b leaves a; c is inside both b and a; d is inside b only.
  const Trace& trace =
      Build(writing, {{0, 50, "a"}, {40, 40, "b"}, {42, 5, "c"}, {60, 10, "d"}, {90, 1, "e"}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "-", "b", "b", "-"}));
  ExpectLanesDoNotOverlap(trace.tracks()[0]);
}

TEST(TraceBuilder, AnEventInsideTheOuterButBeyondTheInner) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {{0, 100, "a"}, {10, 20, "b"}, {20, 30, "c"}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "a", "a"}));
  ExpectLanesDoNotOverlap(trace.tracks()[0]);
}

TEST(TraceBuilder, EqualEventsNestInOrderOfWriting) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {{0, 10, "outer"}, {0, 10, "inner"}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "outer"}));
}

TEST(TraceBuilder, ZeroLengthEvents) {
  Writing writing(Layout::kNested);
  const Trace& trace =
      Build(writing, {{0, 10, "a"}, {0, 0, "start"}, {5, 0, "mid"}, {5, 0, "mid2"}, {10, 0, "end"}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "a", "a", "a", "-"}));
  EXPECT_EQ(trace.tracks()[0].total_duration(), Ps(10));
  ExpectLanesDoNotOverlap(trace.tracks()[0]);
}

TEST(TraceBuilder, ATrackWithoutNestingHasNoParents) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {{0, 10}, {10, 10}, {20, 10}});
  EXPECT_EQ(Parents(trace), (Strings{"-", "-", "-"}));
  EXPECT_EQ(trace.tracks()[0].lanes(), 1U);
}

TEST(TraceBuilder, AnEmptyTrack) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {});
  EXPECT_EQ(trace.tracks()[0].size(), 0U);
  EXPECT_TRUE(trace.tracks()[0].span().empty());
  EXPECT_EQ(trace.event_count(), 0U);
}

TEST(TraceBuilder, LongDurationsAreExact) {
  const int64_t border = int64_t{1} << 31;
  Writing writing(Layout::kLanes);
  const Trace& trace =
      Build(writing, {{0, border + 1}, {5, border - 1}, {3, border}, {9, kMaxTime.value()}, {7, 1}});
  const Track& track = trace.tracks()[0];
  const int64_t expected[] = {border + 1, border, border - 1, 1, kMaxTime.value()};
  for (size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(track.duration(EventIndex(i)), Ps(expected[i]));
  EXPECT_EQ(track.span().end, Ps(9) + kMaxTime);
}

TEST(TraceBuilder, NegativeDurationsAndAbsurdTimesAreCounted) {
  Writing writing(Layout::kNested);
  const int64_t limit = kMaxTime.value();
  const Trace& trace = Build(writing, {{0, -5}, {5, limit + 1}, {limit + 1, 1}});
  const Track& track = trace.tracks()[0];
  EXPECT_EQ(track.duration(EventIndex(0)), Ps(0));
  EXPECT_EQ(track.duration(EventIndex(1)), kMaxTime);
  EXPECT_EQ(track.begin(EventIndex(2)), kMaxTime);
  EXPECT_EQ(LossCount(trace, "negative duration"), 1U);
  EXPECT_EQ(LossCount(trace, "time beyond the range"), 2U);
}

// Time is 0 where the capture begins: nothing in a trace lies before it.
TEST(TraceBuilder, TimesBelowZeroAreLosses) {
  Writing writing(Layout::kNested);
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const Trace& trace =
      Build(writing, {{-10, 10}, {lowest, 5}, {lowest, kMaxTime.value()}, {-5, 0}, {-10, 15}, {3, 1}});
  const Track& track = trace.tracks()[0];
  ASSERT_EQ(track.size(), 2U);
  EXPECT_EQ(track.begin(EventIndex(0)), Ps(0));
  EXPECT_EQ(track.duration(EventIndex(0)), Ps(5));
  EXPECT_EQ(track.begin(EventIndex(1)), Ps(3));
  EXPECT_EQ(LossCount(trace, "before the capture's beginning"), 4U);
  EXPECT_EQ(LossCount(trace, "its part inside counts"), 1U);
}

TEST(TraceBuilder, TheSumOfManyLongDurationsSaturates) {
  Writing writing(Layout::kLanes);
  for (int i = 0; i < 8; ++i) writing.Add({0, kMaxTime.value()});
  EXPECT_EQ(writing.Finish().tracks()[0].total_duration().value(), std::numeric_limits<int64_t>::max());
}

TEST(TraceBuilder, LanesKeepOverlappingEventsApart) {
  Writing writing(Layout::kLanes);
  const Trace& trace = Build(writing, {{0, 10, "a"}, {5, 10, "b"}, {8, 1, "c"}, {10, 2, "d"}, {20, 1, "e"}});
  const Track& track = trace.tracks()[0];
  EXPECT_EQ(Parents(trace), (Strings{"-", "-", "-", "-", "-"}));
  const uint32_t lanes[] = {0, 1, 2, 0, 0};
  for (size_t i = 0; i < std::size(lanes); ++i) EXPECT_EQ(track.lane(EventIndex(i)), lanes[i]) << i;
  EXPECT_EQ(track.lanes(), 3U);
}

TEST(TraceBuilder, LanesOfEventsOneAfterTheOtherAreReused) {
  Writing writing(Layout::kLanes);
  for (int i = 0; i < 300; ++i) writing.Add({i * 10, 5});
  const Trace& trace = writing.Finish();
  EXPECT_EQ(trace.tracks()[0].lanes(), 1U);
  EXPECT_TRUE(trace.losses().empty());
}

TEST(TraceBuilder, MoreEventsAtOnceThanLanesIsCounted) {
  Writing writing(Layout::kLanes);
  for (int i = 0; i < 300; ++i) writing.Add({i, 1000});
  const Trace& trace = writing.Finish();
  EXPECT_EQ(trace.tracks()[0].size(), 300U);
  EXPECT_EQ(LossCount(trace, "lanes"), 44U);
}

TEST(TraceBuilder, RandomTracksKeepTheirPromises) {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const Layout layout = round % 2 == 0 ? Layout::kNested : Layout::kLanes;
    Writing writing(layout);
    for (int i = 0; i < 80; ++i) {
      writing.Add({static_cast<int64_t>(random() % 60) - 30, static_cast<int64_t>(random() % 12)});
    }
    const Trace& trace = writing.Finish();
    const Track& track = trace.tracks()[0];
    ExpectLanesDoNotOverlap(track);
    for (uint32_t i = 0; i < track.size(); ++i) {
      // The innermost event that contains this one: of those before it in order, the latest.
      EventIndex innermost;
      EventIndex running;  // the latest that has not ended
      for (uint32_t j = 0; j < i; ++j) {
        const bool over =
            !track.interval(EventIndex(j)).empty() && track.end(EventIndex(j)) > track.begin(EventIndex(i));
        if (over && track.interval(EventIndex(j)).contains(track.interval(EventIndex(i))))
          innermost = EventIndex(j);
        if (over) running = EventIndex(j);
      }
      ASSERT_EQ(track.parent(EventIndex(i)), layout == Layout::kNested ? innermost : EventIndex()) << i;
      ASSERT_EQ(track.around(EventIndex(i)), layout == Layout::kNested ? running : EventIndex()) << i;
    }
  }
}

TEST(TraceBuilder, AParentBehindManyPartialOverlapsIsFound) {
  // 1000 events, each leaving the one before it, and beyond all of them one that only the first contains.
  Writing writing(Layout::kNested);
  writing.Add({0, 100'000, "outer"});
  for (int i = 0; i < 1000; ++i) writing.Add({10 + i, 2'000});
  writing.Add({1'500, 50'000, "child"});
  const Trace& trace = writing.Finish();
  EXPECT_EQ(Parents(trace), [] {
    Strings expected(1002, "outer");
    expected[0] = "-";
    return expected;
  }());
  ExpectLanesDoNotOverlap(trace.tracks()[0]);
}

TEST(TraceBuilder, NestingDeeperThanTheLimitIsCounted) {
  Writing writing(Layout::kNested);
  const int64_t deep = int64_t{limits::kMaxDepth} + 10;
  for (int64_t i = 0; i < deep; ++i) writing.Add({i, 2 * deep - 2 * i});
  const Trace& trace = writing.Finish();
  EXPECT_EQ(trace.tracks()[0].size(), static_cast<size_t>(deep));
  EXPECT_GE(LossCount(trace, "nesting deeper"), 9U);
  EXPECT_EQ(trace.tracks()[0].depth(EventIndex(deep - 1)), static_cast<uint32_t>(deep - 1));
}

TEST(TraceBuilder, ExplicitParentsSurviveSorting) {
  Writing writing(Layout::kLanes);
  writing.Add({50, 100, "while"});
  writing.writer().Parent(0);
  writing.Add({60, 10, "body"});
  writing.Add({0, 10, "first"});
  writing.writer().Parent(1);
  writing.Add({61, 1, "inner"});
  const Trace& trace = writing.Finish();
  EXPECT_EQ(Names(trace), (Strings{"first", "while", "body", "inner"}));
  EXPECT_EQ(Parents(trace), (Strings{"-", "-", "while", "body"}));
  const Track& track = trace.tracks()[0];
  EXPECT_GT(track.lane(EventIndex(2)), track.lane(EventIndex(1)));
  EXPECT_GT(track.lane(EventIndex(3)), track.lane(EventIndex(2)));
}

TEST(TraceBuilder, LowerBound) {
  Writing writing(Layout::kNested);
  const Trace& trace = Build(writing, {{0, 10}, {5, 1}, {5, 1}, {20, 1}});
  const Track& track = trace.tracks()[0];
  EXPECT_EQ(track.LowerBound(Ps(-1)), EventIndex(0));
  EXPECT_EQ(track.LowerBound(Ps(5)), EventIndex(1));
  EXPECT_EQ(track.LowerBound(Ps(6)), EventIndex(3));
  EXPECT_EQ(track.LowerBound(Ps(21)), EventIndex(4));
}

TEST(TraceBuilder, LowerBoundBackwardsFromAnywhereBehindIt) {
  Writing writing(Layout::kNested);
  const Trace& trace =
      Build(writing, {{0, 1}, {5, 1}, {5, 1}, {7, 1}, {9, 1}, {20, 1}, {21, 1}, {30, 1}, {31, 1}, {40, 1}});
  const Track& track = trace.tracks()[0];
  for (int64_t t = -1; t <= 41; ++t) {
    const EventIndex expected = track.LowerBound(Ps(t));
    for (size_t from = expected.value; from <= track.size(); ++from)
      EXPECT_EQ(track.LowerBound(Ps(t), EventIndex(from)), expected) << t << " from " << from;
  }
}

TEST(TraceBuilder, SpanAndCountsLeaveOutWhatHasNoTimeOrIsDerived) {
  TraceBuilder builder;
  const PlaneId plane = builder.AddPlane({});
  const auto add = [&](TrackKind kind, bool derived, int64_t begin) {
    TrackInfo info;
    info.plane = plane;
    info.kind = kind;
    info.derived = derived;
    TrackWriter writer = builder.NewTrack(info);
    writer.Event(Ps(begin), Ps(10), StringId(0));
    builder.Add(std::move(writer));
  };
  add(TrackKind::kThread, false, 100);
  add(TrackKind::kOps, true, 120);
  add(TrackKind::kAggregated, false, 0);
  const Trace trace = std::move(builder).Finish();
  EXPECT_EQ(trace.span(), (Interval{Ps(100), Ps(130)}));
  EXPECT_EQ(trace.event_count(), 2U);
}

TEST(TraceBuilder, ScopeParents) {
  TraceBuilder builder;
  builder.AddScopeParent(30, 20);
  builder.AddScopeParent(10, 1);
  const Trace trace = std::move(builder).Finish();
  EXPECT_EQ(trace.scope_parent(10), 1);
  EXPECT_EQ(trace.scope_parent(30), 20);
  EXPECT_EQ(trace.scope_parent(20), std::nullopt);
}

TEST(TraceBuilder, APlaneWithoutArgumentsHasTheEmptySet) {
  TraceBuilder builder;
  builder.AddPlane({});
  const Trace trace = std::move(builder).Finish();
  EXPECT_EQ(trace.FindArg(trace.planes()[0].args, "correlation_id"), std::nullopt);
}

TEST(TraceBuilder, WritersOnSeveralThreadsGiveTheSameTrace) {
  const auto build = [](bool threads) {
    TraceBuilder builder;
    const PlaneId plane = builder.AddPlane({});
    std::vector<TrackWriter> writers;
    for (int w = 0; w < 6; ++w) {
      TrackInfo info;
      info.plane = plane;
      info.id = w;
      writers.push_back(builder.NewTrack(info));
    }
    const auto write = [](TrackWriter& writer) {
      for (int i = 0; i < 2'000; ++i) {
        writer.Arg(writer.Intern("key " + std::to_string(i % 7)), ArgValue::Int(i));
        writer.Arg(writer.Intern("text"), ArgValue::String(writer.Intern(std::to_string(i % 300))));
        writer.Event(Ps(i * 10), Ps(5), writer.Intern("name " + std::to_string(i % 50)));
      }
      writer.Finalize();
    };
    {
      std::vector<std::jthread> running;
      for (TrackWriter& writer : writers) {
        if (threads) {
          running.emplace_back(write, std::ref(writer));
        } else {
          write(writer);
        }
      }
    }
    for (TrackWriter& writer : writers) builder.Add(std::move(writer));
    return std::move(builder).Finish();
  };
  std::string why;
  EXPECT_TRUE(testing_support::SameTrace(build(false), build(true), &why)) << why;
}

TEST(TraceBuilder, AWriterInternsAfterItWasFinalized) {
  Writing writing(Layout::kNested);
  writing.writer().Intern("before");
  writing.writer().Finalize();
  const StringId id = writing.writer().Intern("after");
  EXPECT_EQ(writing.builder().trace().text(id), "after");
}

TEST(TraceBuilder, ANamelessEventHasTheEmptyName) {
  TraceBuilder builder;
  TrackInfo info;
  info.plane = builder.AddPlane({});
  TrackWriter writer = builder.NewTrack(info);
  writer.Event(Ps(1), Ps(2), StringId());
  builder.Add(std::move(writer));
  const Trace trace = std::move(builder).Finish();
  ASSERT_EQ(trace.tracks()[0].size(), 1u);
  EXPECT_EQ(trace.tracks()[0].name(EventIndex(0)), StringId(0));
}

}  // namespace
}  // namespace gait

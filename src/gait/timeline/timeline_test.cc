// The whole room on runs made in code: tracks, names, derived tracks, search, areas, links.
#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "gait/analyze/run/run_clock.h"
#include "gait/analyze/run/test_run.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/timeline/area.h"
#include "gait/timeline/book.h"
#include "gait/timeline/derive/plan.h"
#include "gait/timeline/derive/repeats.h"
#include "gait/timeline/links.h"
#include "gait/timeline/reach.h"
#include "gait/timeline/recording.h"
#include "gait/timeline/same.h"
#include "gait/timeline/search.h"
#include "gait/timeline/tile.h"

namespace gait::timeline {
namespace {

// Everything that a question about a timeline needs.
struct Scene {
  explicit Scene(const analyze::RunView& v)
      : view(v),
        timeline(Timeline::Make(*v.run)),
        derived(Derive(timeline, v)),
        book(timeline, derived.get(), NameDescriber(timeline)) {}

  const TimelineTrack& Find(const std::string& title) const {
    const auto found = std::ranges::find(book.tracks, title, [](const TimelineTrack* t) { return t->title; });
    EXPECT_NE(found, book.tracks.end()) << title;
    return **found;
  }
  SliceRef Slice(const std::string& title, uint32_t event) const {
    const TimelineTrack& track = Find(title);
    return {track.events().begin(EventIndex(event)), track.id, event};
  }
  std::string NameOf(SliceRef slice) const {
    const TimelineTrack& track = *book.tracks[slice.track];
    return std::string(track.trace->name({track.track, EventIndex(slice.event)}));
  }

  const analyze::RunView& view;
  Timeline timeline;
  std::unique_ptr<const Derived> derived;
  Book book;
};

// Two steps of two kernels each; the second step waits for its input.
analyze::GpuRun TwoSteps() {
  analyze::GpuRun run;
  run.Step(0, 0, 100).Step(1, 100, 100);
  run.Host("python", 10, 5, "cuLaunchKernel", 1).Host("python", 20, 5, "cuLaunchKernel", 2);
  run.Host("python", 120, 30, "data_loading").Host("python", 160, 5, "cuLaunchKernel", 3);
  run.Work(0, 14, 20, 20, "gemm", 1).Work(0, 14, 40, 10, "loop_fusion", 2).Work(0, 14, 170, 25, "gemm", 3);
  return run;
}

TEST(Timeline, GivesEveryTrackItsPlace) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  std::set<std::string> keys;
  for (const TimelineTrack* track : scene.book.tracks) {
    EXPECT_TRUE(keys.insert(track->key).second) << track->key;
    EXPECT_EQ(scene.book.tracks[track->id], track);
    EXPECT_LT(track->group, scene.timeline.groups.size());
    if (track->counter) continue;
    ASSERT_EQ(track->names.size(), track->events().size());
    for (size_t i = 0; i < track->names.size(); ++i) {
      EXPECT_EQ(scene.book.names[track->names[i]]->text(), track->trace->name({track->track, EventIndex(i)}));
    }
  }
  EXPECT_EQ(scene.timeline.groups[scene.Find("Stream #14").group].kind, GroupKind::kDevice);
  EXPECT_EQ(scene.timeline.groups[scene.Find("python").group].kind, GroupKind::kProcess);
}

TEST(Timeline, NamesWithTheMostTimeComeFirst) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const auto& names = scene.timeline.captured.names;
  EXPECT_TRUE(std::ranges::is_sorted(names, std::ranges::greater(), &SliceName::time));
  EXPECT_EQ(names.front().text(), "train");
  EXPECT_EQ(scene.book.details[scene.Find("Stream #14").names[0]].category, "matmul");
}

TEST(Timeline, HostsShareNames) {
  const auto run = analyze::TestRun(2);
  const Timeline timeline = Timeline::Make(*run);
  EXPECT_EQ(timeline.groups.size(), 6U);
  // The same names on both hosts are the same ids.
  EXPECT_TRUE(std::ranges::equal(timeline.captured.tracks[0].names, timeline.captured.tracks[2].names));
}

TEST(Derive, IdleAndBusyTileTheDevice) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  std::vector<Interval> pieces;
  for (const char* title : {"busy", "idle"}) {
    const Track& events = scene.Find(title).events();
    for (size_t i = 0; i < events.size(); ++i) pieces.push_back(events.interval(EventIndex(i)));
  }
  const IntervalSet all = Normalize(pieces);
  ASSERT_EQ(all.size(), 1U);
  // From the begin of the first step, before its first work.
  EXPECT_EQ(all[0], (Interval{Microseconds(0), Microseconds(195)}));
  EXPECT_EQ(TotalLength(pieces), all[0].length());
  // The gap of 120 us is explained piece by piece: what the host did before the launch, and the launch.
  const TimelineTrack& idle = scene.Find("idle");
  std::set<std::string> causes;
  for (size_t i = 0; i < idle.events().size(); ++i) {
    causes.insert(std::string(idle.trace->String({idle.track, EventIndex(i)}, "cause").value_or("")));
  }
  EXPECT_TRUE(causes.contains("input"));
  EXPECT_TRUE(causes.contains("launch"));
}

// The capture begins inside a run of two operations, the second of which has two kernels.
TEST(Derive, RunsThatTheCaptureDoesNotTellApartEndWhereAnOperationComesAgain) {
  analyze::GpuRun run;
  run.Work(0, 14, 10, 5, "b1", 1).Work(0, 14, 15, 5, "b2", 2);
  run.Work(0, 14, 60, 5, "a", 3).Work(0, 14, 66, 5, "b1", 4).Work(0, 14, 71, 5, "b2", 5);
  run.Work(0, 14, 160, 5, "a", 6).Work(0, 14, 166, 5, "b1", 7).Work(0, 14, 171, 5, "b2", 8);
  const analyze::RunView view = run.View();
  const Trace& trace = view.hosts[0].trace();
  Program program;
  program.instructions.resize(2);
  std::vector<ProgramWork> work;
  for (const analyze::WorkItem& item : view.hosts[0].work[0]) {
    work.push_back({item.event, InstructionIndex(trace.name(item.event) == "a" ? 0 : 1)});
  }
  EXPECT_EQ(RunsByRepeats(trace, program, work), (std::vector<uint32_t>{0, 0, 1, 1, 1, 2, 2, 2}));
}

// Where derived tracks will stand is known before they are made.
TEST(Derive, ThePlanHasTheKeysOfTheTracks) {
  analyze::GpuRun run = TwoSteps();
  run.Work(0, 7, 60, 10, "MemcpyH2D", 4).With("memcpy_details", "kind_src:pinned kind_dst:device size:1000");
  run.Work(0, 7, 80, 1, "Memset", 5);
  run.Host("python", 30, 1, "MemoryAllocation").With("allocator_name", "GPU_0_bfc");
  run.Host("python", 31, 1, "MemoryAllocation").With("allocator_name", "xla_gpu_host_bfc");
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const Book captured(scene.timeline, nullptr, NameDescriber(scene.timeline));
  EXPECT_LT(captured.names.size(), scene.book.names.size());
  std::set<std::string> titles;
  for (const PlannedTrack& planned : PlanDerived(scene.timeline, captured)) {
    titles.insert(planned.title);
    const TimelineTrack& track = scene.Find(planned.title);
    EXPECT_EQ(track.key, planned.key);
    EXPECT_EQ(track.group, planned.group);
    EXPECT_EQ(track.order, planned.order);
    EXPECT_EQ(track.lanes(), planned.lanes);
    EXPECT_EQ(track.counter != nullptr, planned.counter);
  }
  EXPECT_EQ(titles, (std::set<std::string>{"steps", "idle", "copies host to device", "memory GPU_0_bfc"}));
}

TEST(Derive, StepsHaveTheirNumbers) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const TimelineTrack& steps = scene.Find("steps");
  ASSERT_EQ(steps.events().size(), 2U);
  EXPECT_EQ(scene.NameOf({Ps(), steps.id, 1}), "train 1");
  EXPECT_EQ(steps.trace->Integer({steps.track, EventIndex(1)}, "step"), 1);
  EXPECT_EQ(StepOf(scene.book, scene.timeline, view, scene.Slice("Stream #14", 2)), 1);
}

TEST(Links, NeighboursAreOfTheSameLane) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const FlowIndex flows(view.hosts[0].trace());
  const Links links = FindLinks(scene.book, view, scene.Slice("Stream #14", 1),
                                [&](size_t) -> const FlowIndex& { return flows; });
  EXPECT_EQ(links.before, scene.Slice("Stream #14", 0));
  EXPECT_EQ(links.after, scene.Slice("Stream #14", 2));
}

TEST(Links, ALaunchAndItsKernelKnowEachOther) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const FlowIndex flows(view.hosts[0].trace());
  const auto index = [&](size_t) -> const FlowIndex& { return flows; };
  const Links kernel = FindLinks(scene.book, view, scene.Slice("Stream #14", 0), index);
  ASSERT_EQ(kernel.causes.size(), 1U);
  EXPECT_EQ(scene.NameOf(kernel.causes[0]), "cuLaunchKernel");
  const Links launch = FindLinks(scene.book, view, kernel.causes[0], index);
  ASSERT_EQ(launch.effects.size(), 1U);
  EXPECT_EQ(launch.effects[0], scene.Slice("Stream #14", 0));
  ASSERT_TRUE(launch.parent);
  EXPECT_EQ(scene.NameOf(*launch.parent), "train");
  // What ended the idle time, and the call that had been waited for.
  const uint32_t last = static_cast<uint32_t>(scene.Find("idle").events().size()) - 1;
  const Links idle = FindLinks(scene.book, view, scene.Slice("idle", last), index);
  ASSERT_EQ(idle.effects.size(), 1U);
  EXPECT_EQ(idle.effects[0], scene.Slice("Stream #14", 2));
}

// The second host's capture began 5 us later: what lies at 20 there lies at 25 here, on both ends of a link.
TEST(Links, OfAnotherHostStandOnTheClockOfTheRun) {
  analyze::LoadedRun run;
  for (const int64_t start : {1'000'000, 1'005'000}) {
    run.hosts.push_back({start == 1'000'000 ? "a" : "b", "", TwoSteps().Build(start)});
  }
  analyze::PutOnRunClock(run);
  const analyze::RunView view = *analyze::RunView::Make(run, {});
  const Scene scene(view);
  std::vector<FlowIndex> flows;
  for (const analyze::HostView& host : view.hosts) flows.emplace_back(host.trace());
  const auto index = [&](size_t host) -> const FlowIndex& { return flows[host]; };
  for (size_t host = 0; host < 2; ++host) {
    const auto track = std::ranges::find_if(scene.book.tracks, [&](const TimelineTrack* t) {
      return t->host == host && t->title == "Stream #14";
    });
    ASSERT_NE(track, scene.book.tracks.end());
    const Ps later = Microseconds(5) * static_cast<int64_t>(host);
    const SliceRef slice{Microseconds(20) + later, (*track)->id, 0};
    const Links kernel = FindLinks(scene.book, view, slice, index);
    ASSERT_EQ(kernel.causes.size(), 1U);
    EXPECT_EQ(scene.book.tracks[kernel.causes[0].track]->host, host);
    EXPECT_EQ(kernel.causes[0].begin, Microseconds(10) + later);
    const Links launch = FindLinks(scene.book, view, kernel.causes[0], index);
    ASSERT_EQ(launch.effects.size(), 1U);
    EXPECT_EQ(launch.effects[0], slice);
    ASSERT_TRUE(launch.parent);
    EXPECT_EQ(launch.parent->begin, later);
  }
}

// A column of a tile's section.
template <typename T>
std::vector<T> Column(const std::string& tile, size_t& at, size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), tile.data() + at, count * sizeof(T));
  at += count * sizeof(T);
  return values;
}

// Dense lanes are drawn part by part: nothing of it is seen, also where a slice reaches over several parts.
TEST(Tile, LanesDrawnInPartsAreAsWhole) {
  TraceBuilder builder;
  const PlaneId plane = builder.AddPlane(
      {0, builder.Intern("/host:CPU"), PlaneKind::kHost, std::nullopt, std::nullopt, kNoArgs});
  TrackInfo info;
  info.plane = plane;
  info.name = builder.Intern("python");
  info.kind = TrackKind::kThread;
  TrackWriter writer = builder.NewTrack(info);
  std::mt19937 random(7);
  const StringId names[] = {builder.Intern("a"), builder.Intern("b"), builder.Intern("c")};
  for (int64_t call = 0; call < 30'000; ++call) {
    const int64_t begin = call * 1000;
    if (call % 10'000 == 0) writer.Event(Ps(begin), Ps(9'000'500), names[0]);  // over many parts
    for (int64_t depth = 0; depth < 4; ++depth) {
      writer.Event(Ps(begin + depth * 100), Ps(900 - depth * 200 + static_cast<int64_t>(random() % 50)),
                   names[random() % 3]);
    }
  }
  builder.Add(std::move(writer));
  analyze::LoadedRun run;
  run.hosts.push_back({"vm", "", std::move(builder).Finish()});
  const Timeline timeline = Timeline::Make(run);
  const TimelineTrack& track = timeline.captured.tracks.at(0);
  const Window window{Ps(100'000), 18, 100};
  const std::string tile = MakeTile({{{&track, false}}, window});
  size_t at = 32;
  for (uint32_t lane = 0; lane < track.lanes(); ++lane) {
    const SliceTile whole = track.rows->Lane(lane).Look(window, Drawing::kSlices);
    const auto head = Column<uint32_t>(tile, at, 6);
    ASSERT_EQ(head, (std::vector<uint32_t>{track.id, lane, 0, static_cast<uint32_t>(whole.slices.size()),
                                           static_cast<uint32_t>(whole.buckets.size()), head[5]}));
    Column<double>(tile, at, 2 * head[3]);
    const auto busy = Column<double>(tile, at, head[4]);
    const auto bucket = Column<uint32_t>(tile, at, head[4]);
    const auto count = Column<uint32_t>(tile, at, head[4]);
    Column<uint32_t>(tile, at, head[4]);
    const auto first = Column<uint32_t>(tile, at, head[4]);
    for (size_t i = 0; i < whole.buckets.size(); ++i) {
      EXPECT_EQ(bucket[i], whole.buckets[i].bucket);
      EXPECT_EQ(count[i], whole.buckets[i].count);
      EXPECT_EQ(first[i], whole.buckets[i].event);
      EXPECT_EQ(busy[i], static_cast<double>(whole.buckets[i].busy.value()));
    }
    Column<uint32_t>(tile, at, head[3]);
    const auto events = Column<uint32_t>(tile, at, head[3]);
    for (size_t i = 0; i < events.size(); ++i) EXPECT_EQ(events[i], whole.slices[i].event);
    at = (at + 7) / 8 * 8;
  }
  EXPECT_EQ(at, tile.size());
}

TEST(Search, FindsNamesAndArguments) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const auto total = [&](const SearchQuery& query) { return Search(scene.book, query)->total; };
  EXPECT_EQ(total({.text = "GEMM"}), 2U);
  EXPECT_EQ(total({.text = "/^gemm$/"}), 2U);
  EXPECT_EQ(total({.text = "/^emm$/"}), 0U);
  EXPECT_EQ(total({.text = "\"gemm\""}), 2U);
  EXPECT_EQ(total({.text = "\"gem\""}), 0U);
  EXPECT_EQ(total({.text = "gemm", .least = Microseconds(21)}), 1U);
  EXPECT_EQ(total({.text = "gemm", .to = Microseconds(21)}), 1U);
  EXPECT_EQ(total({.text = "gemm", .from = Microseconds(21)}), 1U);
  EXPECT_EQ(total({.text = "gemm", .tracks = {scene.Find("python").id}}), 0U);
  // Numbers are found whole: the launch and its kernel.
  EXPECT_EQ(total({.text = "3", .in = SearchIn::kArguments}), 2U);
  EXPECT_EQ(total({.text = "matmul", .in = SearchIn::kArguments}), 0U);
  EXPECT_FALSE(Search(scene.book, {.text = "/(/"}));
  const SearchResult found = *Search(scene.book, {.text = "e"});
  EXPECT_TRUE(std::ranges::is_sorted(found.matches));
  EXPECT_EQ(found.total, found.matches.size());
  uint64_t sum = 0;
  for (const NameCount& name : found.names) sum += name.count;
  EXPECT_EQ(sum, found.total);
}

TEST(Same, KnowsThoseBeforeAndAfter) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const SameSlices same = FindSame(scene.book, scene.Slice("Stream #14", 0), SameBy::kName);
  EXPECT_EQ(same.count, 2U);
  EXPECT_EQ(same.total, Microseconds(45));
  EXPECT_EQ(same.statistics.max, Microseconds(25));
  EXPECT_EQ(same.position, 0U);
  EXPECT_FALSE(same.previous);
  EXPECT_EQ(same.next, scene.Slice("Stream #14", 2));
}

// Without CUDA graphs the host's range around a launch has the name of the kernel.
TEST(Same, ALaunchIsNoExecutionOfItsKernel) {
  analyze::GpuRun run = TwoSteps();
  run.Host("python", 15, 2, "gemm").Host("python", 165, 3, "gemm");
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const SameSlices kernels = FindSame(scene.book, scene.Slice("Stream #14", 0), SameBy::kName);
  EXPECT_EQ(kernels.count, 2U);
  EXPECT_EQ(kernels.total, Microseconds(45));
  const Track& thread = scene.Find("python").events();
  uint32_t launch = 0;
  while (scene.NameOf({Ps(), scene.Find("python").id, launch}) != "gemm") ++launch;
  ASSERT_LT(launch, thread.size());
  const SameSlices launches = FindSame(scene.book, scene.Slice("python", launch), SameBy::kName);
  EXPECT_EQ(launches.count, 2U);
  EXPECT_EQ(launches.total, Microseconds(5));

  const Area area = FindArea(scene.book, scene.timeline, view, {scene.timeline.span, {}, AreaBy::kName});
  std::map<bool, uint64_t> counts;
  for (const AreaRow& row : area.rows) {
    if (row.name == "gemm") counts[row.on_device] += row.count;
  }
  EXPECT_EQ(counts, (std::map<bool, uint64_t>{{false, 2}, {true, 2}}));
}

TEST(Histogram, HoldsEveryValueOnce) {
  std::mt19937 random(5);
  for (const int64_t most : {1, 2, 30, 5000, 1'000'000'000}) {
    std::vector<Ps> values;
    for (int i = 0; i < 500; ++i) values.emplace_back(static_cast<int64_t>(random()) % most);
    const Histogram histogram = HistogramOf(values);
    ASSERT_EQ(histogram.edges.size(), histogram.counts.size() + 1);
    EXPECT_TRUE(std::ranges::is_sorted(histogram.edges));
    for (size_t b = 0; b < histogram.counts.size(); ++b) {
      const bool last = b + 1 == histogram.counts.size();
      const auto inside = std::ranges::count_if(values, [&](Ps value) {
        return value >= histogram.edges[b] &&
               (value < histogram.edges[b + 1] || (last && value == histogram.edges[b + 1]));
      });
      EXPECT_EQ(static_cast<uint64_t>(inside), histogram.counts[b]);
    }
  }
  EXPECT_TRUE(HistogramOf({}).edges.empty());
}

TEST(Area, SelfTimesSumToTheBusyTime) {
  analyze::GpuRun run = TwoSteps();
  run.Work(0, 14, 30, 15, "overlapping", 4);
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const AreaQuery query{{Microseconds(25), Microseconds(180)}, {scene.Find("Stream #14").id}, AreaBy::kName};
  const Area area = FindArea(scene.book, scene.timeline, view, query);
  Ps self;
  for (const AreaRow& row : area.rows) self += row.self;
  EXPECT_EQ(self, Microseconds(25 + 10));  // 25 to 50, 170 to 180
  ASSERT_EQ(area.devices.size(), 1U);
  const AreaDevice& device = area.devices[0];
  EXPECT_EQ(device.time.window, Microseconds(155));
  EXPECT_EQ(device.time.busy(), Microseconds(35));
  Ps idle;
  for (const Ps part : device.idle) idle += part;
  EXPECT_EQ(idle, device.time.idle);
}

TEST(Reach, SelfPartsAreWhatBeganLast) {
  std::mt19937 random(9);
  for (int round = 0; round < 20; ++round) {
    analyze::GpuRun run;
    for (int i = 0; i < 60; ++i) {
      run.Work(0, 1, static_cast<double>(random() % 200), static_cast<double>(random() % 40),
               "k" + std::to_string(i));
    }
    const analyze::RunView view = run.View();
    const Timeline timeline = Timeline::Make(*view.run);
    const TimelineTrack& track = timeline.captured.tracks[0];
    const Track& events = track.events();
    const Interval window{Microseconds(static_cast<int64_t>(random() % 100)), Microseconds(150)};
    const std::vector<EventIndex> slices = Reaching(track, window);
    std::vector<Ps> self(events.size());
    ForEachSelfPart(events, slices, window,
                    [&](size_t i, Interval part) { self[slices[i].value] += part.length(); });
    std::vector<Ps> slow(events.size());
    for (int64_t t = window.begin.value(); t < window.end.value(); t += 1'000'000) {
      std::optional<size_t> owner;
      for (size_t i = 0; i < events.size(); ++i) {
        if (events.interval(EventIndex(i)).contains(Ps(t))) owner = i;
      }
      if (owner) slow[*owner] += Microseconds(1);
    }
    EXPECT_EQ(self, slow);
  }
}

uint32_t U32(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

TEST(Record, HoldsEverySliceOfTheWindowWithItsName) {
  analyze::GpuRun run = TwoSteps();
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const TimelineTrack& stream = scene.Find("Stream #14");
  const Recording all = Record({&stream}, scene.timeline.span, 100);
  ASSERT_EQ(all.tracks, std::vector{&stream});
  EXPECT_EQ(U32(all.tile, 32 + 12), 3);  // slices
  EXPECT_EQ(U32(all.tile, 32 + 16), 0);  // buckets
  ASSERT_EQ(all.names.size(), 2);
  EXPECT_EQ(scene.book.names[all.names[0]]->text(), "gemm");
  EXPECT_EQ(scene.book.names[all.names[1]]->text(), "loop_fusion");
  // What touches the window belongs to it; what ends where it begins does not.
  const auto us = [](int64_t time) { return Ps(time * 1'000'000); };
  EXPECT_EQ(U32(Record({&stream}, {us(40), us(170)}, 100).tile, 32 + 12), 1);
  EXPECT_EQ(U32(Record({&stream}, {us(39), us(171)}, 100).tile, 32 + 12), 3);
  EXPECT_TRUE(Record({&stream}, {us(60), us(100)}, 100).tracks.empty());
}

TEST(Record, SumsUpWhatWouldBeTooMuch) {
  analyze::GpuRun run;
  for (int i = 0; i < 1000; ++i) run.Work(0, 14, i, 0.5, "tiny");
  run.Work(0, 14, 1000, 500, "long");
  const analyze::RunView view = run.View();
  const Scene scene(view);
  const TimelineTrack& stream = scene.Find("Stream #14");
  const Recording few = Record({&stream}, scene.timeline.span, 64);
  const uint32_t slices = U32(few.tile, 32 + 12);
  const uint32_t buckets = U32(few.tile, 32 + 16);
  EXPECT_EQ(slices, 1);
  EXPECT_GT(buckets, 16);
  EXPECT_LE(slices + buckets, 64);
}

}  // namespace
}  // namespace gait::timeline

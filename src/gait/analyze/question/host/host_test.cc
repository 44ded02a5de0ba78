#include "gait/analyze/question/host/host.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "gait/analyze/question/host/host_report.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

struct Call {
  std::string name;
  int64_t begin;
  int64_t end;
  int64_t step = -1;
  std::string arg = {};
};

class HostTest : public ::testing::Test {
 protected:
  // Threads by name; device work as plain intervals on one GPU, launched when `launch` says.
  const HostTime& Analyze(const std::vector<std::pair<std::string, std::vector<Call>>>& threads,
                          const std::vector<Interval>& work = {}) {
    TraceBuilder builder;
    Plane host;
    host.name = builder.Intern("/host:CPU");
    host.kind = PlaneKind::kHost;
    const PlaneId plane = builder.AddPlane(host);
    const StringId correlation = builder.Intern("correlation_id");
    int64_t id = 0;
    bool first = true;
    for (const auto& [name, calls] : threads) {
      TrackInfo info;
      info.plane = plane;
      info.id = ++id;
      info.name = builder.Intern(name);
      info.kind = TrackKind::kThread;
      TrackWriter track = builder.NewTrack(info);
      for (const Call& call : calls) {
        if (call.step >= 0) track.Arg(builder.Intern("step_num"), ArgValue::Int(call.step));
        if (!call.arg.empty()) track.Arg(builder.Intern(call.arg), ArgValue::Int(1));
        track.Event(Ps(call.begin), Ps(call.end - call.begin), builder.Intern(call.name));
      }
      for (size_t i = 0; first && i < work.size(); ++i) {
        track.Arg(correlation, ArgValue::Int(static_cast<int64_t>(i)));
        track.Event(work[i].begin, Ps(), builder.Intern("cuLaunchKernel"));
      }
      first = false;
      builder.Add(std::move(track));
    }
    if (!work.empty()) {
      Plane gpu;
      gpu.name = builder.Intern("/device:GPU:0");
      gpu.kind = PlaneKind::kGpu;
      gpu.ordinal = 0;
      TrackInfo info;
      info.plane = builder.AddPlane(gpu);
      info.kind = TrackKind::kStream;
      info.layout = Layout::kLanes;
      TrackWriter stream = builder.NewTrack(info);
      for (size_t i = 0; i < work.size(); ++i) {
        stream.Arg(correlation, ArgValue::Int(static_cast<int64_t>(i)));
        stream.Event(work[i].begin, work[i].length(), builder.Intern("kernel"));
      }
      builder.Add(std::move(stream));
    }
    run_.typed = "runs/x";
    run_.hosts.push_back({"vm", "", std::move(builder).Finish()});
    view_ = std::make_unique<RunView>(*RunView::Make(run_, {}));
    result_ = AnalyzeHost(view_->hosts[0]);
    return result_;
  }
  const ActivityTime* Find(std::string_view name) const {
    for (const ActivityTime& activity : result_.activities) {
      if (activity.name == name) return &activity;
    }
    return nullptr;
  }

  LoadedRun run_;
  std::unique_ptr<RunView> view_;
  HostTime result_;
};

TEST_F(HostTest, EmptyCapture) {
  const HostTime& time = Analyze({});
  EXPECT_FALSE(time.has_main);
  EXPECT_EQ(HostDocument(*view_).answer, "No events of host threads in this capture.");
}

TEST_F(HostTest, WithoutStepsTheWholeCaptureCounts) {
  const HostTime& time = Analyze({{"python", {{"load", 10, 30}, {"$a.py:1 f", 40, 60}}}});
  EXPECT_EQ(time.window, Ps(50));
  EXPECT_TRUE(time.steps.empty());
  EXPECT_EQ(Find("load")->self, Ps(20));
  EXPECT_TRUE(time.has_python);
}

TEST_F(HostTest, ThreadsOfOneNameAreToldApart) {
  const HostTime& time =
      Analyze({{"worker", {{"a", 0, 10}}}, {"other", {{"b", 0, 50}}}, {"worker", {{"c", 0, 90}}}});
  ASSERT_EQ(time.threads.size(), 3u);
  std::map<std::string, int64_t> ordinals;
  for (const HostThread& thread : time.threads) ordinals[time.activities[*thread.top].name] = thread.ordinal;
  EXPECT_EQ(ordinals, (std::map<std::string, int64_t>{{"a", 1}, {"b", 1}, {"c", 2}}));
}

TEST_F(HostTest, AFunctionThatCallsItselfCountsOnce) {
  Analyze({{"python",
            {{"$a.py:1 f", 0, 100}, {"$a.py:1 f", 10, 90}, {"$a.py:2 g", 20, 30}, {"$a.py:1 f", 40, 50}}}});
  const ActivityTime* f = Find("$a.py:1 f");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->count, 3u);
  EXPECT_EQ(f->total, Ps(100));
  EXPECT_EQ(f->self, Ps(90));
  EXPECT_EQ(f->longest, Ps(100));
  EXPECT_EQ(f->mean(), Ps(63));
  EXPECT_EQ(Find("$a.py:2 g")->self, Ps(10));
}

TEST_F(HostTest, PartialOverlapBelongsToTheLaterEvent) {
  Analyze({{"python", {{"a", 0, 10}, {"b", 5, 15}, {"c", 20, 20}}}});
  EXPECT_EQ(Find("a")->self, Ps(5));
  EXPECT_EQ(Find("a")->total, Ps(10));
  EXPECT_EQ(Find("b")->self, Ps(10));
  EXPECT_EQ(Find("c"), nullptr);  // begins where the capture ends, takes no time
}

TEST_F(HostTest, KindsOfEvents) {
  Analyze({{"python",
            {{"train", 0, 100, 1},
             {"mine", 1, 50},
             {"PjitFunction(f)", 2, 20},
             {"inner pass", 3, 4},
             {"$a.py:1 callback", 5, 10},
             {"mine again", 6, 7},
             {"launched", 60, 61, -1, "correlation_id"}}},
           {"pjrt_async_work_runner/7", {{"something", 0, 5}, {"BUFFER_FLUSH", 6, 9}}}});
  EXPECT_EQ(Find("train")->kind, HostKind::kStep);
  EXPECT_EQ(Find("mine")->kind, HostKind::kAnnotation);
  EXPECT_EQ(Find("PjitFunction(f)")->kind, HostKind::kRuntime);
  EXPECT_EQ(Find("inner pass")->kind, HostKind::kRuntime);
  EXPECT_EQ(Find("$a.py:1 callback")->kind, HostKind::kPython);
  EXPECT_EQ(Find("mine again")->kind, HostKind::kAnnotation);  // called from Python
  EXPECT_EQ(Find("launched")->kind, HostKind::kRuntime);
  EXPECT_EQ(Find("something")->kind, HostKind::kRuntime);
  EXPECT_EQ(Find("BUFFER_FLUSH")->kind, HostKind::kProfiler);
  EXPECT_EQ(Find("something")->main_total, Ps());
  EXPECT_EQ(Find("mine")->main_total, Ps(49));
}

// Two steps of 100; input is fetched between the annotations. The last step is its annotation, and so does
// not count.
TEST_F(HostTest, StepsSplitWithoutARest) {
  const HostTime& time = Analyze({{"worker", {{"prepare", 0, 300}}},
                                  {"python",
                                   {{"train", 0, 60, 1},
                                    {"to_device", 0, 10},
                                    {"PjitFunction(f)", 10, 30},
                                    {"np.asarray(jax.Array)", 15, 20},
                                    {"load_batch", 70, 95},
                                    {"device_put", 80, 85},
                                    {"train", 100, 160, 2},
                                    {"PjitFunction(f)", 110, 150}}}});
  ASSERT_EQ(time.steps.size(), 2u);
  const auto part = [&](size_t step, HostPart p) { return time.steps[step].parts[static_cast<size_t>(p)]; };
  EXPECT_EQ(time.steps[0].step, Ps(100));
  EXPECT_EQ(part(0, HostPart::kToDevice), Ps(10 + 5));
  EXPECT_EQ(part(0, HostPart::kDispatch), Ps(15));
  EXPECT_EQ(part(0, HostPart::kWait), Ps(5));
  EXPECT_EQ(part(0, HostPart::kFetch), Ps(20));
  EXPECT_EQ(time.steps[0].rest, Ps(45));
  EXPECT_EQ(time.steps[1].step, Ps(60));
  EXPECT_EQ(part(1, HostPart::kDispatch), Ps(40));
  EXPECT_TRUE(time.threads[0].main);
  EXPECT_EQ(time.threads[0].name, "python");
  EXPECT_EQ(time.counted(), 1);
  EXPECT_FALSE(time.steps[1].counts);
  EXPECT_EQ(time.Sum().step, Ps(100));
  EXPECT_EQ(time.window, Ps(100));
  EXPECT_EQ(Find("prepare")->total, Ps(100));  // clipped to the steps
}

TEST_F(HostTest, AStepWithoutWorkIsPartOfTheNextOne) {
  const HostTime& time =
      Analyze({{"python",
                {{"train", 0, 90, 1},
                 {"train", 100, 190, 2},
                 {"train", 200, 390, 3},  // launches nothing
                 {"load_batch", 210, 380},
                 {"train", 400, 490, 4},
                 {"train", 500, 590, 5}}}},
              {{Ps(10), Ps(50)}, {Ps(110), Ps(150)}, {Ps(410), Ps(450)}, {Ps(510), Ps(550)}});
  ASSERT_TRUE(view_->hosts[0].series[0].steps[2].no_work());
  const auto found = std::ranges::find(time.steps, 4, &HostStepSplit::number);
  ASSERT_NE(found, time.steps.end());
  EXPECT_EQ(found->time, (Interval{Ps(200), Ps(500)}));
  EXPECT_EQ(found->parts[static_cast<size_t>(HostPart::kFetch)], Ps(170));
}

TEST(HostSteps, AnnotationsThatTouchAreStepsLikeOthers) {
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i + (i < 3 ? 0 : 5000);  // a pause after the third
    run.Step(i, t, 1000).Host("python", t + 10, 5, "launch", i).Work(0, 1, t + 20, 900, "Memcpy", i);
  }
  const RunView view = run.View();
  const HostTime time = AnalyzeHost(view.hosts[0]);
  EXPECT_EQ(time.counted(), static_cast<int64_t>(time.steps.size()));
}

TEST(HostSteps, InputThatAnotherThreadMakesIsFetched) {
  GpuRun run = StarvedLoop();
  const RunView view = run.View();
  const HostStepSplit sum = AnalyzeHost(view.hosts[0]).Sum();
  EXPECT_EQ(sum.parts[static_cast<size_t>(HostPart::kFetch)], Microseconds(4 * 9'000));
  Ps all = sum.rest;
  for (const Ps part : sum.parts) all += part;
  EXPECT_EQ(all, sum.step);
  EXPECT_NE(HostDocument(view).answer.find("fetching input, mostly in data_loading"), std::string::npos);
}

TEST_F(HostTest, TheLastStepCountsWhereItLacksATenth) {
  const auto counted = [&](int64_t annotation, int64_t steps) {
    std::vector<Call> calls;
    for (int64_t s = 0; s < steps; ++s) calls.push_back({"train", 110 * s, 110 * s + annotation, s});
    view_.reset();
    run_.hosts.clear();
    return Analyze({{"python", calls}}).counted();
  };
  EXPECT_EQ(counted(100, 4), 4);
  EXPECT_EQ(counted(99, 4), 3);
  EXPECT_EQ(counted(121, 4), 4);  // annotations that overlap: it has more than the others
  EXPECT_EQ(counted(123, 4), 3);
  EXPECT_EQ(counted(50, 1), 1);  // no others to tell
}

TEST_F(HostTest, StepsOfTwoThreadsAreSplitEachOnItsOwn) {
  std::vector<Call> quick;
  std::vector<Call> slow;
  for (int64_t s = 0; s < 4; ++s) {
    quick.insert(quick.end(), {{"train", 100 * s, 100 * s + 95, s}, {"data_loading", 100 * s, 100 * s + 40}});
    slow.insert(slow.end(),
                {{"train", 50 + 200 * s, 245 + 200 * s, s}, {"data_loading", 50 + 200 * s, 200 + 200 * s}});
  }
  const HostTime& time = Analyze({{"one", quick}, {"other", slow}});
  ASSERT_EQ(time.steps.size(), 8u);
  for (const HostStepSplit& step : time.steps) {
    const Ps fetch = step.parts[static_cast<size_t>(HostPart::kFetch)];
    EXPECT_EQ(fetch, step.step < Ps(150) ? Ps(40) : Ps(150));
    EXPECT_EQ(step.rest, step.step - fetch);
  }
  EXPECT_EQ(Find("data_loading")->main_total, Ps(4 * (40 + 150)));
  EXPECT_EQ(Find("data_loading")->total, Ps(4 * (40 + 150)));
  EXPECT_TRUE(time.threads[0].main && time.threads[1].main);
}

TEST_F(HostTest, FetchingInsideADispatchIsDispatch) {
  const HostTime& time = Analyze(
      {{"python", {{"train", 0, 100, 1}, {"PjitFunction(f)", 0, 100}, {"$i.py:1 __next__", 10, 50}}}});
  EXPECT_EQ(time.steps[0].parts[static_cast<size_t>(HostPart::kFetch)], Ps());
  EXPECT_EQ(time.steps[0].parts[static_cast<size_t>(HostPart::kDispatch)], Ps(100));
}

TEST_F(HostTest, TheDeviceMeanwhile) {
  const HostTime& time = Analyze(
      {{"python",
        {{"train", 0, 100, 1}, {"data_loading", 0, 40}, {"train", 100, 200, 2}, {"data_loading", 100, 140}}}},
      {{Ps(30), Ps(92)}, {Ps(130), Ps(192)}});
  const HostStepSplit sum = time.Sum();
  EXPECT_EQ(sum.parts[static_cast<size_t>(HostPart::kFetch)], Ps(80));
  EXPECT_EQ(sum.device_busy[static_cast<size_t>(HostPart::kFetch)], Ps(20));
  EXPECT_EQ(sum.rest_device_busy, Ps(104));
}

TEST_F(HostTest, TheAnswerNamesWhatHasMostOfTheRest) {
  const auto answer = [&](std::vector<Call> between) {
    std::vector<Call> calls = {{"$loop.py:1 loop", 0, 310'000'000}};
    for (int64_t step = 0; step < 3; ++step) {
      const int64_t t = 100'000'000 * step;
      calls.push_back({"train", t, t + 10'000'000, step});
      calls.push_back({"PjitFunction(f)", t, t + 5'000'000});
      for (const Call& call : between) {
        if (step < 2) calls.push_back({call.name, t + call.begin, t + call.end});
      }
    }
    view_.reset();
    run_.hosts.clear();
    Analyze({{"python", calls}});
    return HostDocument(*view_).answer;
  };
  const std::string rest = "95.0 µs of the host's 100 µs a step is ";
  EXPECT_EQ(answer({}), rest + "in no event that says what it does; 5.00 µs dispatching programs.");
  const Call sleeps = {"$time sleep", 21'000'000, 80'000'000};
  EXPECT_EQ(answer({{"logging", 20'000'000, 80'000'000}, sleeps}),
            rest + "other code, 60.0 µs in logging; 5.00 µs dispatching programs.");
  EXPECT_EQ(answer({{"$mine.py:3 slow", 20'000'000, 80'000'000}, sleeps}),
            rest + "other code, 60.0 µs in $mine.py:3 slow; 5.00 µs dispatching programs.");
  // A small annotation does not stand before what takes most of the time.
  EXPECT_EQ(answer({{"logging", 12'000'000, 20'000'000}, sleeps}),
            rest + "other code, 59.0 µs in $time sleep; 5.00 µs dispatching programs.");
  // Nor does it matter that it waits for a result first.
  EXPECT_EQ(answer({{"metrics", 20'000'000, 80'000'000}, {"block_until_ready", 20'000'000, 24'000'000}}),
            "91.0 µs of the host's 100 µs a step is other code, 56.0 µs in metrics; 5.00 µs dispatching "
            "programs.");
}

// Longest is the wait, but the device works meanwhile.
TEST_F(HostTest, TheAnswerIsAboutWhatTheDeviceIdlesIn) {
  std::vector<Call> calls;
  std::vector<Interval> kernels;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t t = 100 * step;
    calls.push_back({"train", t, t + 99, step});
    calls.push_back({"data_loading", t, t + 40});
    calls.push_back({"block_until_ready", t + 45, t + 95});
    kernels.push_back({Ps(t + 44), Ps(t + 95)});
  }
  Analyze({{"python", calls}}, kernels);
  EXPECT_EQ(
      HostDocument(*view_).answer,
      "0.040 ns of the host's 0.099 ns a step goes to fetching input, mostly in data_loading; the device "
      "idles meanwhile.");
}

TEST_F(HostTest, IdentitiesOnRandomEvents) {
  std::mt19937 random(11);
  std::uniform_int_distribution<int64_t> when(0, 1000);
  std::uniform_int_distribution<int64_t> length(0, 200);
  std::uniform_int_distribution<int> which(0, 5);
  const char* names[] = {"load", "$a.py:1 f", "PjitFunction(f)", "x", "Foo::Wait", "device_put"};
  std::vector<Call> calls = {{"train", 100, 330, 1}, {"train", 350, 700, 2}};
  std::vector<Interval> covered;
  for (int i = 0; i < 200; ++i) {
    const int64_t begin = when(random);
    calls.push_back({names[which(random)], begin, begin + length(random)});
  }
  for (const Call& call : calls) covered.push_back({Ps(call.begin), Ps(call.end)});
  const HostTime& time = Analyze({{"python", calls}});
  Ps self;
  for (const ActivityTime& activity : time.activities) {
    EXPECT_LE(activity.self, activity.total) << activity.name;
    self += activity.self;
  }
  EXPECT_EQ(self, TotalLength(Clip(Normalize(covered), {Ps(100), Ps(700)})));
  for (const HostStepSplit& step : time.steps) {
    Ps sum = step.rest;
    for (const Ps part : step.parts) sum += part;
    EXPECT_EQ(sum, step.step);
    EXPECT_GE(step.rest, Ps());
  }
}

}  // namespace
}  // namespace gait::analyze

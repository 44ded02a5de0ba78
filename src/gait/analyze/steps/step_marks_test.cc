#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/work_class.h"
#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/analyze/steps/test_steps.h"
#include "gait/analyze/view/run_view.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

using step_testing::Kernel;
using step_testing::MakeTrace;
using step_testing::Mark;
using step_testing::Steps;

TEST(Steps, WorkBelongsToTheStepThatLaunchedIt) {
  // The host runs ahead: all launches are made before the first kernel is done.
  const Trace trace = MakeTrace({{7, 0, 10}, {8, 10, 20}, {9, 20, 30}},
                                {{5, 100, 200}, {15, 200, 290}, {16, 290, 310}, {25, 320, 400}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "train");
  EXPECT_FALSE(series[0].inferred());
  EXPECT_FALSE(series[0].waits);
  const std::vector<Step>& steps = series[0].steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].number, 7);
  EXPECT_TRUE(steps[0].begin_unknown());
  EXPECT_EQ(steps[1].time[0], (Interval{Ps(200), Ps(310)}));
  EXPECT_EQ(steps[1].events[0], 2u);
  EXPECT_EQ(steps[2].time[0],
            (Interval{Ps(310), Ps(400)}));  // what the device waited before it is the step's
  EXPECT_EQ(steps[2].duration(), Ps(90));
}

// The host is ahead of the device: when the capture ends it has annotated steps that have not begun there.
TEST(Steps, TheCaptureEndsInsideTheLastStepThatHasWork) {
  const auto partial = [](const std::vector<int>& kernels_of_step) {
    std::vector<Mark> marks;
    std::vector<Kernel> kernels;
    for (const int count : kernels_of_step) {
      const auto step = static_cast<int64_t>(marks.size());
      marks.push_back({step, 20 * step, 20 * step + 19});
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<int64_t>(100 + 10 * kernels.size());
        kernels.push_back({20 * step + k, at, at + 9});
      }
    }
    std::vector<int64_t> found;
    const std::vector<StepSeries> series = Steps(MakeTrace(marks, kernels));
    for (const Step& step : series.at(0).steps) {
      if (step.partial()) found.push_back(step.number);
    }
    return found;
  };
  using Numbers = std::vector<int64_t>;
  EXPECT_EQ(partial({10, 10, 10, 10}), Numbers());
  EXPECT_EQ(partial({10, 5, 10, 9}), Numbers());  // one in the middle did less; nine tenths are enough
  EXPECT_EQ(partial({10, 10, 10, 8}), Numbers({3}));
  EXPECT_EQ(partial({10, 10, 3, 0}), Numbers({2, 3}));
  EXPECT_EQ(partial({10, 10, 0, 0, 0}), Numbers({2, 3, 4}));  // most have none
  EXPECT_EQ(partial({10, 3, 0, 0, 0}), Numbers({1, 2, 3, 4}));
  EXPECT_EQ(partial({4, 10, 6}), Numbers({2}));  // it begins inside the first
  EXPECT_EQ(partial({10, 0, 10, 0, 10}), Numbers());
}

TEST(Steps, OneWithoutWorkAmongOthersTakesNoTime) {
  const Trace trace = MakeTrace({{0, 0, 10}, {1, 10, 20}, {2, 20, 30}, {3, 30, 40}},
                                {{5, 100, 200}, {25, 300, 400}, {35, 400, 500}});
  const std::vector<StepSeries> series = Steps(trace);
  const std::vector<Step>& steps = series.at(0).steps;
  EXPECT_TRUE(steps[1].no_work());
  EXPECT_FALSE(steps[1].partial());
  EXPECT_EQ(steps[2].duration(), Ps(200));
  EXPECT_EQ(series[0].Counted().size(), 2u);
  EXPECT_EQ(StepStatistics({series.data()}).sorted, (std::vector{Ps(100), Ps(200)}));
}

TEST(Steps, WhereNoneIsCompleteAnnotationsTellNoTime) {
  const std::vector<StepSeries> series = Steps(MakeTrace({{0, 0, 10}, {1, 10, 20}}, {{5, 100, 200}}));
  const StepStatistics statistics({series.data()});
  EXPECT_FALSE(statistics.complete);
  EXPECT_EQ(statistics.sorted, std::vector{Ps(200)});
}

TEST(Steps, ADeviceWithoutWorkInOneTakesPartInItIdle) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    run.Step(i, 1000 * i, 990).Host("python", 1000 * i + 1, 5, "launch", i);
    run.Work(0, 1, 1000 * i + 10, 900, "fusion", i);
    if (i == 1) continue;
    run.Host("python", 1000 * i + 7, 5, "launch", 10 + i).Work(1, 1, 1000 * i + 20, 500, "fusion", 10 + i);
  }
  run.Work(2, 1, 5000, 10, "stray");
  const RunView view = run.View();
  const std::vector<Step>& steps = view.hosts[0].series[0].steps;
  EXPECT_EQ(steps[1].time[1], (Interval{Ps(520'000'000), Ps(1'910'000'000)}));
  EXPECT_EQ(steps[1].events[1], 0u);
  EXPECT_FALSE(steps[1].partial());
  EXPECT_EQ(steps[2].time[1], (Interval{Ps(1'910'000'000), Ps(2'520'000'000)}));
  EXPECT_EQ(view.hosts[0].device_steps, (std::vector<int64_t>{3, 3, 0}));  // the first is not known
  EXPECT_EQ(view.working_devices(), 2);
}

TEST(Steps, AWaitingLoopBeginsWithItsAnnotation) {
  constexpr int64_t kLong = kMostLaunchDelay.value();
  const Trace trace = MakeTrace({{0, 0, 11 * kLong}, {1, 11 * kLong, 22 * kLong}},
                                {{5, 10, 10 * kLong}, {11 * kLong + 5, 11 * kLong + 10, 21 * kLong}});
  const std::vector<StepSeries> series = Steps(trace);
  EXPECT_TRUE(series[0].waits);
  EXPECT_FALSE(series[0].host_bound());
  EXPECT_TRUE(series[0].steps[0].complete());
  EXPECT_EQ(series[0].steps[0].time[0], (Interval{Ps(0), Ps(10 * kLong)}));
  EXPECT_EQ(series[0].steps[1].time[0], (Interval{Ps(10 * kLong), Ps(21 * kLong)}));
}

TEST(Steps, AHostThatIsTheSlowerOneNeedNotWait) {
  const Trace trace = MakeTrace({{0, 0, 110}, {1, 110, 210}}, {{5, 10, 100}, {115, 120, 200}});
  const std::vector<StepSeries> series = Steps(trace);
  EXPECT_FALSE(series[0].waits);
  EXPECT_TRUE(series[0].host_bound());
  EXPECT_TRUE(series[0].steps[0].complete());
  EXPECT_EQ(series[0].LoopText(), "the host is slower than the device");
}

// A loop whose host goes on 3 ms after the device is done with a step of 5 ms, five times.
struct LateLoop {
  GpuRun run;

  // `in_steps` adds what the host does, given when a step begins.
  explicit LateLoop(const std::function<void(GpuRun&, double)>& in_steps) {
    for (int i = 0; i < 5; ++i) {
      const double begin = 8000 * i;
      run.Step(i, begin, 7990);
      run.Host("python", begin + 10, 5, "cuLaunchKernel", i);
      run.Work(0, 1, begin + 20, 5000, "kernel", i);
      in_steps(run, begin);
    }
  }
  StepSeries Series() { return run.View().hosts[0].series[0]; }
};

TEST(Steps, AHostThatIsLateMayHaveWaitedOrNot) {
  const StepSeries silent = LateLoop([](GpuRun&, double) {}).Series();
  EXPECT_FALSE(silent.waits);
  EXPECT_FALSE(silent.host_bound());
  EXPECT_EQ(silent.loop, Loop::kHostLate);
  EXPECT_EQ(silent.LoopText(), "the host goes on late: it waits, or is busy itself");
  // What it did is known, and no waiting.
  const StepSeries busy = LateLoop([](GpuRun& run, double begin) {
                            run.Host("python", begin + 20, 7900, "bookkeeping");
                          }).Series();
  EXPECT_EQ(busy.loop, Loop::kHostLate);
  // Nor is it when something happens to follow the end of the step at once.
  const StepSeries active = LateLoop([](GpuRun& run, double begin) {
                              for (double at = 20; at < 7000; at += 50)
                                run.Host("python", begin + at, 40, "bookkeeping");
                            }).Series();
  EXPECT_EQ(active.loop, Loop::kHostLate);
}

TEST(Steps, AHostWaitedWhoseCallSaysSoOrThatWokeWhenTheStepWasDone) {
  const StepSeries called = LateLoop([](GpuRun& run, double begin) {
                              run.Host("python", begin + 20, 5010, "block_until_ready");
                            }).Series();
  EXPECT_TRUE(called.waits);
  const StepSeries woke = LateLoop([](GpuRun& run, double begin) {
                            run.Host("python", begin + 5070, 1000, "bookkeeping");
                          }).Series();
  EXPECT_TRUE(woke.waits);
  EXPECT_NE(woke.loop, Loop::kHostLate);
  // Another thread's waiting says nothing of this one.
  const StepSeries other = LateLoop([](GpuRun& run, double begin) {
                             run.Host("saver", begin + 20, 5010, "block_until_ready");
                           }).Series();
  EXPECT_FALSE(other.waits);
}

TEST(Steps, TheFirstIsNotWholeWhereTheHostIsLateForTheNext) {
  const StepSeries series = LateLoop([](GpuRun& run, double begin) {
                              run.Host("python", begin + 20, 5010, "block_until_ready");
                            }).Series();
  EXPECT_TRUE(series.steps[0].begin_unknown());
  for (const Step* step : series.Counted()) EXPECT_EQ(step->duration(), Milliseconds(8));
  EXPECT_EQ(series.Counted().size(), 4u);
}

TEST(Steps, TheFirstIsLongerThanItsPeriodWhereAnnotationsOverlap) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double begin = 1000 + 1000 * static_cast<double>(i);
    const std::string thread = i % 2 == 0 ? "one" : "two";
    run.Host(thread, begin, 1500, "train", -1, i).Host(thread, begin + 10, 5, "cuLaunchKernel", i);
    run.Work(0, 14, begin + 600, 800, "k", i);
  }
  const RunView view = run.View();
  EXPECT_TRUE(view.hosts[0].series[0].steps[0].begin_unknown());
  for (const Step* step : view.hosts[0].series[0].Counted()) EXPECT_EQ(step->duration(), Milliseconds(1));
}

TEST(Steps, WorkThatEndedBeforeTheFirstAnnotationIsNoPredecessorOfAWaitingLoop) {
  const std::vector<Mark> marks = {{0, 100, 200}, {1, 300, 400}, {2, 500, 600}, {3, 700, 800}};
  std::vector<Kernel> kernels = {{10, 20, 40}};
  for (const Mark& mark : marks) kernels.push_back({mark.begin + 10, mark.begin + 20, mark.begin + 90});
  const Trace trace = MakeTrace(marks, kernels);
  const std::vector<Step> steps = Steps(trace)[0].steps;
  EXPECT_TRUE(steps[0].begin_unknown());  // 90 from its annotation on, the others 200 from finish to finish
  EXPECT_EQ(steps[0].time[0], (Interval{Ps(100), Ps(190)}));
  EXPECT_EQ(steps[1].time[0], (Interval{Ps(190), Ps(390)}));
}

TEST(Steps, WorkFromBeforeTheFirstAnnotationEndsWhereTheFirstStepBegins) {
  const Trace trace = MakeTrace({{4, 50, 60}, {5, 60, 70}}, {{10, 20, 80}, {55, 80, 150}, {65, 150, 230}});
  const std::vector<Step> steps = Steps(trace)[0].steps;
  EXPECT_FALSE(steps[0].begin_unknown());
  EXPECT_EQ(steps[0].time[0], (Interval{Ps(80), Ps(150)}));
}

TEST(Steps, WorkThatOutlastsLaterStepsEndsNone) {
  // A copy of step 1 ends after the kernels of steps 2 and 3.
  const Trace trace = MakeTrace({{0, 0, 10}, {1, 10, 20}, {2, 20, 30}, {3, 30, 40}, {4, 40, 50}},
                                {{1, 100, 200},
                                 {11, 200, 300},
                                 {12, 300, 550, "MemcpyD2H"},
                                 {21, 300, 400},
                                 {31, 400, 500},
                                 {41, 500, 600}});
  const std::vector<Step> steps = Steps(trace)[0].steps;
  for (size_t s = 1; s < steps.size(); ++s) {
    const auto at = static_cast<int64_t>(s) * 100;
    EXPECT_EQ(steps[s].time[0], (Interval{Ps(at + 100), Ps(at + 200)}));
    EXPECT_EQ(steps[s].duration(), Ps(100));
    EXPECT_FALSE(steps[s].outlier);
  }
}

TEST(Steps, AStepThatIsDoneBeforeAnEarlierOneTakesNoTime) {
  const Trace trace = MakeTrace({{0, 0, 10}, {1, 10, 20}}, {{1, 30, 200}, {11, 60, 90}});
  const std::vector<Step> steps = Steps(trace)[0].steps;
  EXPECT_EQ(steps[0].time[0].end, Ps(90));
  EXPECT_EQ(steps[1].time[0], (Interval{Ps(90), Ps(90)}));
  EXPECT_EQ(steps[1].duration(), Ps());
}

TEST(Steps, KindsInTurnKeepTheirWorkApart) {
  // train 0, eval 0, train 1, eval 1: launches in their annotations, work one after the other.
  const Trace trace =
      MakeTrace({{0, 0, 10}, {0, 10, 20, "eval"}, {1, 20, 30}, {1, 30, 40, "eval"}},
                {{1, 100, 200}, {2, 200, 250}, {11, 250, 260}, {21, 260, 400}, {31, 400, 410}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "train");
  EXPECT_EQ(series[0].steps[0].events[0], 2u);
  EXPECT_EQ(series[0].steps[1].time[0], (Interval{Ps(260), Ps(400)}));
  EXPECT_EQ(series[1].steps[0].events[0], 1u);
  EXPECT_EQ(series[1].steps[1].time[0], (Interval{Ps(400), Ps(410)}));
}

TEST(Steps, AKindAroundAnotherHasItsWorkToo) {
  const Trace trace =
      MakeTrace({{0, 0, 100, "epoch"}, {0, 5, 10}, {1, 20, 30}}, {{6, 200, 300}, {21, 300, 400}});
  for (const StepSeries& series : Steps(trace)) {
    EXPECT_EQ(series.steps[0].events[0], series.name == "epoch" ? 2u : 1u);
  }
}

TEST(Steps, KindsStandSideBySide) {
  const Trace trace =
      MakeTrace({{0, 0, 10}, {1, 10, 20}, {0, 30, 40, "eval"}}, {{1, 50, 60}, {11, 60, 70}, {31, 70, 80}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].name, "train");
  EXPECT_EQ(series[1].name, "eval");
}

TEST(Steps, WhatRunsBetweenStepsBelongsToTheOneBefore) {
  std::vector<std::pair<int64_t, std::string>> launches;
  for (int64_t step = 0; step < 65; ++step) {
    launches.emplace_back(100 * step, "jit_train");
    if (step == 20) launches.emplace_back(100 * step + 50, "jit_log");
  }
  launches.emplace_back(6500, "jit_save");
  const std::vector<StepSeries> series =
      Steps(MakeTrace({}, {{2000, 2010, 2020}, {2050, 2055, 2070}, {6500, 6510, 6520}}, launches));
  ASSERT_EQ(series.size(), 1u);
  ASSERT_EQ(series[0].steps.size(), 65u);
  EXPECT_EQ(series[0].steps[20].events[0], 2u);
  EXPECT_EQ(series[0].steps[64].events[0], 0u);
}

TEST(Steps, TheKindThatDevicesWorkLongestForComesFirst) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    const double t = 4000 * i;
    run.Host("python", t, 100, "training", -1, i).Host("python", t + 10, 5, "launch", 10 * i);
    run.Work(0, 1, t + 20, 3000, "kernel", 10 * i);
    run.Host("python", t + 3500, 100, "eval", -1, i);
    for (int k = 1; k < 4; ++k) {
      run.Host("python", t + 3500 + 10 * k, 5, "launch", 10 * i + k);
      run.Work(0, 1, t + 3500 + 10 * k + 6, 1, "small", 10 * i + k);
    }
  }
  const RunView view = run.View();
  ASSERT_EQ(view.hosts[0].series.size(), 2u);
  EXPECT_EQ(view.hosts[0].series[0].name, "training");
}

TEST(Steps, ARunIsNotAboutItsEvaluationsHoweverLong) {
  const auto first = [](const std::string& one, const std::string& longer) {
    GpuRun run;
    for (int i = 0; i < 3; ++i) {
      for (const auto& [name, at, id, length] :
           {std::tuple(one, 0, 0, 100), std::tuple(longer, 300, 10, 500)})
        run.Host("python", 1000 * i + at, 200, name, -1, i)
            .Host("python", 1000 * i + at + 1, 5, "launch", id + i)
            .Work(0, 1, 1000 * i + at + 10, length, "fusion", id + i);
    }
    return run.View().hosts[0].AStep();
  };
  EXPECT_EQ(first("train", "eval_step"), "a step of train");
  EXPECT_EQ(first("train", "Validation"), "a step of train");
  EXPECT_EQ(first("train", "my-test"), "a step of train");
  EXPECT_EQ(first("train", "value_update"), "a step of value_update");
  EXPECT_EQ(first("test", "eval"), "a step of eval");
}

TEST(Steps, OtherKindsAreLeftOutAndCanBeChosen) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    run.Step(i, 1000 * i, 100).Host("python", 1000 * i + 1, 5, "launch", i);
    run.Work(0, 1, 1000 * i + 10, 500, "train", i).Work(0, 1, 1000 * i + 600, 10, "more", i);
    run.Host("python", 1000 * i + 700, 100, "eval", -1, i);
    run.Host("python", 1000 * i + 701, 5, "launch", 10 + i);
    run.Work(0, 1, 1000 * i + 720, 50, "evaluate", 10 + i);
  }
  const RunView train = run.View();
  EXPECT_EQ(train.hosts[0].series[0].name, "train");
  EXPECT_EQ(train.CoverageNotes(),
            std::vector<std::string>{"without 4 steps of eval, 640 µs in all: --series eval shows them"});
  const RunView eval = run.View({.series = "eval"});
  ASSERT_EQ(eval.hosts[0].series.size(), 1u);
  EXPECT_EQ(eval.hosts[0].series[0].name, "eval");
  // Steps of train come before and after it: what the loop did in between is the step's, as it is of the
  // others.
  EXPECT_EQ(eval.hosts[0].series[0].steps[0].time[0], (Interval{Microseconds(610), Microseconds(770)}));
  EXPECT_TRUE(eval.CoverageNotes().empty());
  EXPECT_FALSE(
      Intersect(eval.hosts[0].windows[0], {{Interval{Ps(1'720'000'000), Ps(1'770'000'000)}}}).empty());
}

TEST(Steps, AnEvaluationOnAnotherDeviceIsNoPartOfTheSteps) {
  // Training waits for GPU 0, then an evaluation for GPU 1: neither has the other's time.
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    const double t = 3000 * i;
    run.Step(i, t, 990).Host("python", t + 1, 5, "launch", i).Work(0, 1, t + 10, 900, "train", i);
    run.Host("python", t + 910, 70, "PjRtBuffer::Await");
    run.Host("python", t + 1000, 1990, "eval", -1, i).Host("python", t + 1001, 5, "launch", 10 + i);
    run.Work(1, 1, t + 1010, 1900, "evaluate", 10 + i);
    run.Host("python", t + 2910, 70, "PjRtBuffer::Await");
  }
  const RunView train = run.View();
  // From the end of the evaluation before to its own.
  EXPECT_EQ(train.hosts[0].series[0].steps[2].time[0], (Interval{Microseconds(5910), Microseconds(6910)}));
  EXPECT_EQ(train.hosts[0].series[0].steps[2].host_step, (Interval{Microseconds(5990), Microseconds(6990)}));
  const RunView eval = run.View({.series = "eval"});
  EXPECT_EQ(eval.hosts[0].series[0].steps[2].time[1], (Interval{Microseconds(6910), Microseconds(8910)}));
  for (const size_t s : {0, 2}) {
    const Ps begin = Microseconds(3000 * static_cast<int64_t>(s) + 990);
    EXPECT_EQ(eval.hosts[0].series[0].steps[s].host_step, (Interval{begin, begin + Microseconds(2000)}));
  }
}

TEST(Steps, AnEvaluationThatIsNotWaitedForIsBesideTheSteps) {
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i;
    run.Step(i, t, 100).Host("python", t + 1, 5, "launch", i).Work(0, 1, t + 10, 900, "train", i);
    run.Host("python", t + 110, 100, "eval", -1, i).Host("python", t + 111, 5, "launch", 10 + i);
    run.Work(1, 1, t + 120, 950, "evaluate", 10 + i);  // until the next step has begun
  }
  const RunView train = run.View();
  EXPECT_EQ(train.hosts[0].series[0].steps[2].time[0], (Interval{Microseconds(1910), Microseconds(2910)}));
}

TEST(Steps, AHostThatWaitsBeforeItLaunchesTheNextOneWaits) {
  // The launch before the annotation, the wait inside of it.
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i;
    run.Host("python", t, 5, "launch", i).Work(0, 1, t + 10, 800, "train", i);
    run.Step(i, t + 20, 900).Host("python", t + 25, 790, "PjRtBuffer::Await");
  }
  const RunView waits = run.View();
  EXPECT_TRUE(waits.hosts[0].series[0].waits);
  EXPECT_EQ(waits.hosts[0].series[0].LoopText(), "the host waits for each step");
  // What is waited for after the next launch is one step behind.
  GpuRun ahead;
  for (int i = 0; i < 6; ++i) {
    const double t = 1000 * i;
    ahead.Step(i, t, 990).Host("python", t + 1, 5, "launch", i).Work(0, 1, t + 700, 900, "train", i);
    ahead.Host("python", t + 10, 600, "PjRtBuffer::Await");
  }
  EXPECT_FALSE(ahead.View().hosts[0].series[0].waits);
}

TEST(Steps, WhatRanMeanwhileIsSaidToCount) {
  // Also where all of it did, and where the other kind was not chosen.
  for (const double begin : {400, 100}) {
    GpuRun run;
    for (int i = 0; i < 6; ++i) {
      for (const auto& [thread, kind, id] : {std::tuple("one", "a", 10), std::tuple("two", "b", 20)}) {
        run.Host(thread, 1000 * i, 900, kind, -1, i).Host(thread, 1000 * i + 1, 5, "launch", 100 * i + id);
      }
      run.Work(0, 1, 1000 * i + 10, 500, "fa", 100 * i + 10)
          .Work(0, 2, 1000 * i + begin, 200, "fb", 100 * i + 20);
    }
    for (const std::string series : {"", "a", "b"}) {
      const RunView view = run.View({.series = series});
      const std::string other = series == "b" ? "a" : "b";
      EXPECT_EQ(view.hosts[0].series[0].name, series == "b" ? "b" : "a");
      EXPECT_EQ(view.CoverageNotes(),
                std::vector<std::string>{"counts what ran meanwhile, also of 6 steps of " + other +
                                         ": --series " + other + " shows them"});
      EXPECT_EQ(view.hosts[0].AStep(), series == "b" ? "a step of b" : "a step of a");
    }
  }
}

TEST(Steps, NoneWithoutAnnotationsOrPeriod) { EXPECT_TRUE(Steps(MakeTrace({}, {{0, 10, 20}})).empty()); }

Mark Block(int64_t number, int64_t begin, int64_t end, const std::string& name = "my_block") {
  return {number, begin, end, name, "gait_block"};
}

TEST(Steps, ABlockIsAStepUntilItsWorkIsDone) {
  const Trace trace = MakeTrace({Block(0, 10, 20)}, {{5, 6, 8}, {12, 40, 60}, {15, 60, 90}, {25, 95, 99}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "my_block");
  EXPECT_TRUE(series[0].blocks());
  EXPECT_FALSE(series[0].waits_in_loop());  // gait waits, at its end
  ASSERT_EQ(series[0].steps.size(), 1u);
  const Step& step = series[0].steps[0];
  EXPECT_TRUE(step.complete());
  EXPECT_EQ(step.time[0], (Interval{Ps(10), Ps(90)}));  // what came before and after is not its own
  EXPECT_EQ(step.events[0], 2u);
}

TEST(Steps, ABlockWhoseWorkHasNoEndIsPartial) {
  const Trace trace =
      MakeTrace({Block(0, 0, 10), Block(1, 20, 30)}, {{5, 6, 18}, {22, 23, 28}, {25, -1, -1}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_TRUE(series[0].steps[0].complete());
  EXPECT_TRUE(series[0].steps[1].partial());
  EXPECT_EQ(series[0].Counted().size(), 1u);
}

TEST(Steps, BlocksOfOneNameAreASeries) {
  const Trace trace = MakeTrace({Block(0, 0, 100), Block(1, 200, 210), Block(2, 300, 310)},
                                {{5, 10, 50}, {205, 220, 280}, {305, 310, 350}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  const std::vector<Step>& steps = series[0].steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].duration(), Ps(100));  // the host was in it longer than the device
  EXPECT_EQ(steps[1].duration(), Ps(80));   // and here shorter; what lies between blocks is none's
  EXPECT_EQ(steps[2].duration(), Ps(50));
  EXPECT_EQ(StepStatistics(series[0]).sorted.size(), 3u);
}

TEST(Steps, ABlockBeginsWhereTheOneBeforeWasDone) {
  const Trace trace = MakeTrace({Block(0, 0, 10), Block(1, 10, 20)}, {{5, 10, 60}, {15, 60, 100}});
  const std::vector<StepSeries> series = Steps(trace);
  EXPECT_EQ(series[0].steps[0].time[0], (Interval{Ps(0), Ps(60)}));
  EXPECT_EQ(series[0].steps[1].time[0], (Interval{Ps(60), Ps(100)}));
}

TEST(Steps, NothingIsInferredInsideABlock) {
  std::vector<Kernel> kernels;
  std::vector<std::pair<int64_t, std::string>> layers;
  for (int64_t i = 0; i < 8; ++i) {
    kernels.push_back({100 * i + 10, 100 * i + 20, 100 * i + 90});
    layers.emplace_back(100 * i + 5, "jit_layer");
  }
  EXPECT_TRUE(Steps(MakeTrace({}, kernels, layers)).at(0).inferred());
  const std::vector<StepSeries> series = Steps(MakeTrace({Block(0, 0, 1000)}, kernels, layers));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "my_block");
  EXPECT_EQ(series[0].steps.size(), 1u);
  // Also where none of the work is the block's.
  for (const StepSeries& one : Steps(MakeTrace({Block(0, 2000, 2010)}, kernels, layers)))
    EXPECT_FALSE(one.inferred());
}

TEST(Steps, ABlockAroundStepsIsNone) {
  const Trace trace = MakeTrace({Block(0, 0, 100), {0, 5, 20}, {1, 20, 40}, {2, 40, 60}},
                                {{6, 10, 18}, {22, 25, 38}, {45, 46, 59}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "train");
}

TEST(Steps, BlocksInsideAnotherComeFirstWhereTheyHoldItsWork) {
  const std::vector<Mark> marks = {Block(0, 0, 100, "outer"), Block(0, 5, 20, "inner"),
                                   Block(1, 30, 50, "inner")};
  EXPECT_EQ(Steps(MakeTrace(marks, {{6, 10, 18}, {32, 35, 48}})).at(0).name, "inner");
  EXPECT_EQ(Steps(MakeTrace(marks, {{6, 10, 18}, {32, 35, 48}, {60, 61, 99}})).at(0).name, "outer");
}

}  // namespace
}  // namespace gait::analyze

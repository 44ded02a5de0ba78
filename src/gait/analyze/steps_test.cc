#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gait/analyze/devices.h"
#include "gait/analyze/step_series.h"
#include "gait/analyze/step_statistics.h"
#include "gait/analyze/test_gpu.h"
#include "gait/analyze/test_trace.h"
#include "gait/analyze/view.h"
#include "gait/analyze/work_class.h"
#include "gait/trace/trace_builder.h"

namespace gait::analyze {
namespace {

struct Kernel {
  int64_t launch;
  int64_t begin;
  int64_t end;
  std::string name = "ncclDevKernel_AllReduce";
};

struct Mark {
  int64_t step;
  int64_t begin;
  int64_t end;
  std::string name = "train";
};

// One GPU with one stream; one host thread with annotations, and a launch of each kernel at time `launch`.
Trace MakeTrace(const std::vector<Mark>& marks, const std::vector<Kernel>& kernels,
                const std::vector<std::pair<int64_t, std::string>>& program_launches = {}) {
  TraceBuilder builder;
  Plane gpu;
  gpu.name = builder.Intern("/device:GPU:0");
  gpu.kind = PlaneKind::kGpu;
  gpu.ordinal = 0;
  Plane host;
  host.name = builder.Intern("/host:CPU");
  host.kind = PlaneKind::kHost;
  TrackInfo stream;
  stream.plane = builder.AddPlane(gpu);
  stream.kind = TrackKind::kStream;
  stream.layout = Layout::kLanes;
  TrackInfo thread;
  thread.plane = builder.AddPlane(host);
  thread.kind = TrackKind::kThread;
  TrackWriter device = builder.NewTrack(stream);
  TrackWriter calls = builder.NewTrack(thread);
  const StringId correlation = builder.Intern("correlation_id");
  for (size_t i = 0; i < kernels.size(); ++i) {
    const auto id = ArgValue::Int(static_cast<int64_t>(i));
    device.Arg(correlation, id);
    device.Event(Ps(kernels[i].begin), Ps(kernels[i].end - kernels[i].begin),
                 builder.Intern(kernels[i].name));
    calls.Arg(correlation, id);
    calls.Event(Ps(kernels[i].launch), Ps(1), builder.Intern("launch"));
  }
  for (const Mark& mark : marks) {
    calls.Arg(builder.Intern("step_num"), ArgValue::Int(mark.step));
    calls.Event(Ps(mark.begin), Ps(mark.end - mark.begin), builder.Intern(mark.name));
  }
  for (const auto& [begin, program] : program_launches) {
    calls.Arg(builder.Intern("run_id"), ArgValue::Int(begin));
    calls.Event(Ps(begin), Ps(2), builder.Intern("PjRtLoadedExecutable::Execute (" + program + ")"));
  }
  builder.Add(std::move(device));
  builder.Add(std::move(calls));
  return std::move(builder).Finish();
}

std::vector<StepSeries> Steps(const Trace& trace) {
  const std::vector<Device> devices = FindDevices(trace);
  const WorkClasses classes(trace);
  const Launches launches(trace);
  HostWorkItems work;
  for (const Device& device : devices) work.push_back(WorkInOrder(trace, device, launches, classes));
  return FindSteps(trace, devices, work);
}

TEST(Steps, WorkBelongsToTheStepThatLaunchedIt) {
  // The host runs ahead: all launches are made before the first kernel is done.
  const Trace trace = MakeTrace({{7, 0, 10}, {8, 10, 20}, {9, 20, 30}},
                                {{5, 100, 200}, {15, 200, 290}, {16, 290, 310}, {25, 320, 400}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "train");
  EXPECT_FALSE(series[0].inferred);
  EXPECT_FALSE(series[0].waits);
  const std::vector<Step>& steps = series[0].steps;
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].number, 7);
  EXPECT_TRUE(steps[0].first);
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
      if (step.partial) found.push_back(step.number);
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
  EXPECT_TRUE(steps[1].no_work);
  EXPECT_FALSE(steps[1].partial);
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
  EXPECT_FALSE(steps[1].partial);
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
  EXPECT_FALSE(series[0].host_bound);
  EXPECT_TRUE(series[0].steps[0].complete());
  EXPECT_EQ(series[0].steps[0].time[0], (Interval{Ps(0), Ps(10 * kLong)}));
  EXPECT_EQ(series[0].steps[1].time[0], (Interval{Ps(10 * kLong), Ps(21 * kLong)}));
}

TEST(Steps, AHostThatIsTheSlowerOneNeedNotWait) {
  const Trace trace = MakeTrace({{0, 0, 110}, {1, 110, 210}}, {{5, 10, 100}, {115, 120, 200}});
  const std::vector<StepSeries> series = Steps(trace);
  EXPECT_FALSE(series[0].waits);
  EXPECT_TRUE(series[0].host_bound);
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
  EXPECT_FALSE(silent.host_bound);
  EXPECT_TRUE(silent.host_late);
  EXPECT_EQ(silent.LoopText(), "the host goes on late: it waits, or is busy itself");
  // What it did is known, and no waiting.
  const StepSeries busy = LateLoop([](GpuRun& run, double begin) {
                            run.Host("python", begin + 20, 7900, "bookkeeping");
                          }).Series();
  EXPECT_TRUE(busy.host_late);
  // Nor is it when something happens to follow the end of the step at once.
  const StepSeries active = LateLoop([](GpuRun& run, double begin) {
                              for (double at = 20; at < 7000; at += 50)
                                run.Host("python", begin + at, 40, "bookkeeping");
                            }).Series();
  EXPECT_TRUE(active.host_late);
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
  EXPECT_FALSE(woke.host_late);
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
  EXPECT_TRUE(series.steps[0].first);
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
  EXPECT_TRUE(view.hosts[0].series[0].steps[0].first);
  for (const Step* step : view.hosts[0].series[0].Counted()) EXPECT_EQ(step->duration(), Milliseconds(1));
}

TEST(Steps, WorkThatEndedBeforeTheFirstAnnotationIsNoPredecessorOfAWaitingLoop) {
  const std::vector<Mark> marks = {{0, 100, 200}, {1, 300, 400}, {2, 500, 600}, {3, 700, 800}};
  std::vector<Kernel> kernels = {{10, 20, 40}};
  for (const Mark& mark : marks) kernels.push_back({mark.begin + 10, mark.begin + 20, mark.begin + 90});
  const Trace trace = MakeTrace(marks, kernels);
  const std::vector<Step> steps = Steps(trace)[0].steps;
  EXPECT_TRUE(steps[0].first);  // 90 from its annotation on, the others 200 from finish to finish
  EXPECT_EQ(steps[0].time[0], (Interval{Ps(100), Ps(190)}));
  EXPECT_EQ(steps[1].time[0], (Interval{Ps(190), Ps(390)}));
}

TEST(Steps, WorkFromBeforeTheFirstAnnotationEndsWhereTheFirstStepBegins) {
  const Trace trace = MakeTrace({{4, 50, 60}, {5, 60, 70}}, {{10, 20, 80}, {55, 80, 150}, {65, 150, 230}});
  const std::vector<Step> steps = Steps(trace)[0].steps;
  EXPECT_FALSE(steps[0].first);
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

TEST(Steps, AnInferredStepIsTheWholeRoundNotTheLayerInIt) {
  // Each step: 30 times the same layer, then the update. All but one launch in thirty follow the layer.
  std::vector<std::pair<int64_t, std::string>> launches;
  for (int64_t step = 0; step < 4; ++step) {
    for (int64_t layer = 0; layer < 30; ++layer) launches.emplace_back(1000 * step + 10 * layer, "jit_layer");
    launches.emplace_back(1000 * step + 500, "jit_update");
  }
  const std::vector<StepSeries> series = Steps(MakeTrace({}, {{0, 10, 20}}, launches));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 4u);
}

TEST(Steps, InferredFromThePeriodOfProgramLaunches) {
  const Trace trace = MakeTrace({}, {{0, 10, 20}, {100, 110, 150}, {200, 210, 250}, {300, 310, 360}},
                                {{0, "jit_train"},
                                 {50, "jit_loss"},
                                 {100, "jit_train"},
                                 {150, "jit_loss"},
                                 {200, "jit_train"},
                                 {250, "jit_loss"},
                                 {300, "jit_train"},
                                 {350, "jit_loss"}});
  const std::vector<StepSeries> series = Steps(trace);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_TRUE(series[0].inferred);
  EXPECT_EQ(series[0].name, "jit_train");
  ASSERT_EQ(series[0].steps.size(), 4u);
  EXPECT_EQ(series[0].steps[3].time[0], (Interval{Ps(250), Ps(360)}));
}

TEST(Steps, WhatRunsBeforeTheLoopIsNoStep) {
  std::vector<std::pair<int64_t, std::string>> launches = {
      {0, "jit_init"}, {10, "jit_cast"}, {20, "jit_sum"}, {30, "jit_sum"}};
  for (int64_t step = 0; step < 80; ++step) launches.emplace_back(100 + 10 * step, "jit_train");
  const std::vector<StepSeries> series = Steps(MakeTrace({}, {{0, 10, 20}, {100, 110, 120}}, launches));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "jit_train");
  EXPECT_EQ(series[0].steps.size(), 80u);
}

// Steps of launches, a letter each: what it runs; `name` says what it is called. Each takes a device 10 ps
// per unit of `work`.
struct LetterLoop {
  std::string letters;
  std::map<char, std::string> names = {{'t', "jit_train"}, {'e', "jit_evaluate"}, {'l', "jit_loss"}};
  std::map<char, int64_t> work{};

  std::vector<StepSeries> Find() const {
    std::vector<std::pair<int64_t, std::string>> launches;
    std::vector<Kernel> kernels;
    for (size_t i = 0; i < letters.size(); ++i) {
      const auto begin = static_cast<int64_t>(1000 * i);
      launches.emplace_back(begin, names.at(letters[i]));
      const int64_t units = work.contains(letters[i]) ? work.at(letters[i]) : 1;
      kernels.push_back({begin + 1, begin + 5, begin + 5 + 10 * units});
    }
    return Steps(MakeTrace({}, kernels, launches));
  }
};

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Steps, AnEvaluationAfterEveryTenthStepBelongsToTheStepBefore) {
  const auto series = LetterLoop{Repeated("tttttttttte", 4)}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].launches, 1u);
  ASSERT_EQ(series[0].steps.size(), 40u);
  EXPECT_EQ(series[0].steps[8].events[0], 1u);
  EXPECT_EQ(series[0].steps[9].events[0], 2u);
  EXPECT_EQ(series[0].steps[39].events[0], 1u);  // what follows the loop is no step's
  EXPECT_TRUE(series[0].note.starts_with("jit_evaluate runs about once in 10 steps")) << series[0].note;
}

TEST(Steps, EvaluationsNowAndThenDoNotHideTheLoop) {
  const std::string letters =
      "ttttttttt"
      "e"
      "tttttttttt"
      "e"
      "ttttttttttt"
      "e"
      "ttttttttt"
      "e"
      "ttt";
  const auto series = LetterLoop{letters}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 42u);
  EXPECT_EQ(series[0].steps[8].events[0], 2u);
  EXPECT_EQ(series[0].note, "");
  const auto pairs =
      LetterLoop{Repeated("tl", 9) + "e" + Repeated("tl", 13) + "e" + Repeated("tl", 8)}.Find();
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].launches, 2u);
  EXPECT_EQ(pairs[0].steps.size(), 30u);
}

TEST(Steps, MicroStepsAndTheirUpdateAreOneStep) {
  const auto four = LetterLoop{Repeated("ttttl", 8)}.Find();
  ASSERT_EQ(four.size(), 1u);
  EXPECT_EQ(four[0].steps.size(), 8u);
  EXPECT_EQ(four[0].launches, 5u);
  EXPECT_NE(four[0].note.find("may also be a step, with jit_loss after about every 4"), std::string::npos)
      << four[0].note;
  const std::map<char, std::string> names = {{'t', "jit_train"}, {'u', "jit_update"}, {'e', "jit_evaluate"}};
  const auto ten = LetterLoop{Repeated("ttttttttttu", 8), names}.Find();
  ASSERT_EQ(ten.size(), 1u);
  EXPECT_EQ(ten[0].steps.size(), 8u);
  EXPECT_NE(ten[0].note, "");
  // The step itself may be called an update.
  EXPECT_EQ((LetterLoop{Repeated("uuuuuuuuuue", 4), names}.Find()[0].steps.size()), 40u);
}

TEST(Steps, WhatDevicesWorkLongestForIsNotRare) {
  // Ten small launches that prepare a step.
  const auto series =
      LetterLoop{Repeated("llllllllllt", 4), {{'l', "jit_slice"}, {'t', "jit_train"}}, {{'t', 200}}}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].steps.size(), 4u);
  EXPECT_EQ(series[0].note, "");
  // Or four steps, and an evaluation that takes longer.
  const auto evaluated = LetterLoop{.letters = Repeated("tttte", 4), .work = {{'e', 8}}}.Find();
  ASSERT_EQ(evaluated.size(), 1u);
  EXPECT_EQ(evaluated[0].steps.size(), 4u);
  EXPECT_NE(evaluated[0].note.find("may also be a step, with jit_evaluate after about every 4"),
            std::string::npos)
      << evaluated[0].note;
}

TEST(Steps, WhatStandsAroundALoopOfOneProgramIsNoStep) {
  EXPECT_EQ((LetterLoop{"tttttttttttt"}.Find()[0].steps.size()), 12u);
  const auto series = LetterLoop{"eeeee" + Repeated("t", 20) + "eeeeeee"}.Find();
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].name, "jit_train");
  ASSERT_EQ(series[0].steps.size(), 20u);
  for (const Step& step : series[0].steps) EXPECT_EQ(step.events[0], 1u);
}

TEST(Steps, WithoutALoopThereAreNone) {
  EXPECT_TRUE((LetterLoop{"tel"}.Find().empty()));
  EXPECT_TRUE((LetterLoop{"telltteetletlle"}.Find().empty()));
}

TEST(Steps, OneThreadsLaunchesAreTheLoop) {
  GpuRun run;
  // The evaluation of the other thread comes at any time, and works less.
  for (int i = 0; i < 12; ++i) {
    run.Host("python", 100 * i, 20, "PjitFunction(train)")
        .Host("python", 100 * i + 10, 5, "cuLaunchKernel", i)
        .Work(0, 1, 100 * i + 20, 60, "train", i);
  }
  for (int i = 0; i < 20; ++i) {
    const double t = 57 * i + (i * i) % 23;
    run.Host("server", t, 20, "PjitFunction(serve)")
        .Host("server", t + 10, 5, "cuLaunchKernel", 100 + i)
        .Work(0, 2, t + 21, 9, "serve", 100 + i);
  }
  const RunView view = run.View();
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_EQ(series.name, "train");
  ASSERT_EQ(series.steps.size(), 12u);
  for (const Step& step : series.steps) EXPECT_EQ(step.events[0], 1u);
  EXPECT_EQ(series.steps[5].time[0].length(), Microseconds(100));
}

TEST(Steps, InferredFromCallsOfJittedFunctionsWhereRunsHaveNoIds) {
  GpuRun run;
  for (int i = 0; i < 5; ++i) {
    run.Host("python", 100 * i, 40, "PjitFunction(conv)")
        .Host("python", 100 * i + 1, 30, "PjitFunction(conv)")
        .Host("python", 100 * i + 10, 5, "hipModuleLaunchKernel", i)
        .Work(0, 1, 100 * i + 20, 30, "conv", i);
  }
  const RunView view = run.View();
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  EXPECT_TRUE(view.hosts[0].series[0].inferred);
  EXPECT_EQ(view.hosts[0].series[0].name, "conv");
  EXPECT_EQ(view.hosts[0].series[0].steps.size(), 5u);
}

TEST(Steps, CallsThatOnlyQueueWorkForLaterAreNoSteps) {
  GpuRun run;
  for (int i = 0; i < 20; ++i) {
    run.Host("python", i, 0.5, "PjitFunction(f)")
        .Host("py_xla_execute", 1000 + 100 * i, 5, "cuLaunchKernel", i)
        .Work(0, 1, 1010 + 100 * i, 30, "kernel", i);
  }
  EXPECT_TRUE(run.View().hosts[0].series.empty());
}

// Two TPUs, each with its own count of runs; the first ran something of its own before. Nothing of the host.
TEST(Steps, InferredFromTheModulesOfEachDevice) {
  TestTraceMaker maker;
  for (int64_t d = 0; d < 2; ++d) {
    const PlaneId tpu = maker.Plane("/device:TPU:" + std::to_string(d), PlaneKind::kTpu, d);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    int64_t run = 1;
    const auto add = [&](int64_t begin, int64_t end, const std::string& name) {
      maker.Event(modules, begin, end, name, {{"run_id", run++}});
      maker.Event(ops, begin, end, "fusion");
    };
    if (d == 0) add(0, 10, "jit_init(7)");
    add(20, 30, "jit_init(8)");
    for (int64_t step = 0; step < 5; ++step)
      add(100 * step + 100 + 5 * d, 100 * step + 190 + 5 * d, "jit_f(12)");
    add(700, 710, "jit_save(9)");
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const StepSeries& series = view.hosts[0].series[0];
  EXPECT_TRUE(series.inferred);
  EXPECT_FALSE(series.host_known);
  EXPECT_FALSE(series.waits);
  EXPECT_EQ(series.name, "jit_f");
  ASSERT_EQ(series.steps.size(), 5u);
  EXPECT_EQ(series.steps[3].time[0], (Interval{Ps(390), Ps(490)}));
  EXPECT_EQ(series.steps[3].time[1], (Interval{Ps(395), Ps(495)}));
  EXPECT_EQ(series.steps[4].events[0], 1u);
}

// Three runs of another program, which repeat as the loop's do, stand right before a long loop of the second
// device.
TEST(Steps, ALoopBeginsWithAProgramOfItsOwn) {
  TestTraceMaker maker;
  for (int64_t d = 0; d < 2; ++d) {
    const PlaneId tpu = maker.Plane("/device:TPU:" + std::to_string(d), PlaneKind::kTpu, d);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    const auto add = [&](int64_t begin, const std::string& name) {
      maker.Event(modules, begin, begin + 90, name);
      maker.Event(ops, begin, begin + 90, "fusion");
    };
    for (int64_t i = 0; i < 3; ++i) {
      if (d == 0) add(200 * i, "jit_init(7)");
      add(200 * i + 100, "jit_psum(9)");
    }
    for (int64_t step = 0; step < 100; ++step) add(1000 + 100 * step, "jit_f(12)");
    add(20'000, "jit_psum(9)");
  }
  const auto run = maker.Finish();
  const StepSeries series = RunView::Make(*run, {})->hosts[0].series[0];
  EXPECT_EQ(series.name, "jit_f");
  ASSERT_EQ(series.steps.size(), 100u);
  for (const size_t device : {0, 1}) EXPECT_EQ(series.steps[50].time[device].length(), Ps(100));
}

// A program made from one line of source.
Program OfLine(uint64_t id, const std::string& name, int32_t line) {
  Program program;
  program.id = id;
  program.name = name;
  Instruction& add = program.instructions.emplace_back();
  add.source_file = program.strings.Intern("train.py");
  add.source_line = line;
  return program;
}

// Operations of a CPU share the run's id; the event that ends a run has it too, and names a device.
TEST(Steps, TheEndOfARunIsNoLaunch) {
  TestTraceMaker maker;
  const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps);
  const PlaneId host = maker.Host();
  const auto worker = maker.Thread(host, 1, "tf_XLAPjRtCpuClient");
  for (int64_t i = 0; i < 12; ++i) {
    // Four programs before the loop; all of one name, and known by their lines.
    const int64_t program = i < 4 ? 10 + i : 4;
    if (i <= 4) {
      maker.builder().AddProgram(
          OfLine(static_cast<uint64_t>(program), "jit__lambda", static_cast<int32_t>(20 + i)));
    }
    maker.Event(ops, 100 * i, 100 * i + 50, "fusion",
                {{"run_id", 1000 - i}, {"program_id", program}, {"hlo_module", "jit__lambda"}});
    maker.Event(worker, 100 * i + 50, 100 * i + 55, "ThunkExecutor::Execute (wait for completion)",
                {{"run_id", 1000 - i}, {"device_ordinal", int64_t{0}}});
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  EXPECT_EQ(view.hosts[0].series[0].name, "jit__lambda");
  ASSERT_EQ(view.hosts[0].series[0].steps.size(), 8u);
  for (const Step& step : view.hosts[0].series[0].steps) EXPECT_EQ(step.events[0], 1u);
}

// A letter is a run of a program; `programs` says which function of which line it was compiled from.
std::vector<StepSeries> StepsOfCpu(const std::string& letters,
                                   const std::map<char, std::pair<std::string, int32_t>>& programs) {
  TestTraceMaker maker;
  const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
  const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps);
  for (const auto& [letter, source] : programs)
    maker.builder().AddProgram(OfLine(static_cast<uint64_t>(letter), source.first, source.second));
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto t = static_cast<int64_t>(100 * i);
    maker.Event(
        ops, t, t + 50, "fusion",
        {{"run_id", t}, {"program_id", int64_t{letters[i]}}, {"hlo_module", programs.at(letters[i]).first}});
  }
  const auto run = maker.Finish();
  return RunView::Make(*run, {})->hosts[0].series;
}

TEST(Steps, AFunctionOfAnotherShapeIsTheSameProgram) {
  const std::map<char, std::pair<std::string, int32_t>> programs = {
      {'t', {"jit_train", 7}}, {'T', {"jit_train", 7}}, {'o', {"jit_train", 40}}, {'l', {"jit_log", 9}}};
  for (const std::string letters : {"ttttttTTTT", "tTTtTtTTtT"}) {
    const auto series = StepsOfCpu(letters, programs);
    ASSERT_EQ(series.size(), 1u);
    EXPECT_EQ(series[0].launches, 1u);
    EXPECT_EQ(series[0].steps.size(), 10u);
    EXPECT_EQ(series[0].outside, Ps());
  }
  EXPECT_EQ(StepsOfCpu("tltlTlTlTl", programs)[0].steps.size(), 5u);
  // One of the same name is another function, where it is from other lines.
  const auto other = StepsOfCpu("tototototo", programs);
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].launches, 2u);
}

TEST(Steps, AFunctionOfAnotherShapeIsTheSameModuleOfATpu) {
  for (const bool lines : {true, false}) {
    TestTraceMaker maker;
    const PlaneId tpu = maker.Plane("/device:TPU:0", PlaneKind::kTpu, 0);
    const auto modules = maker.Track(tpu, 1, "XLA Modules", TrackKind::kModules);
    const auto ops = maker.Track(tpu, 2, "XLA Ops", TrackKind::kOps);
    for (const uint64_t id : {12, 13}) {
      if (lines) maker.builder().AddProgram(OfLine(id, "jit_train", 7));
    }
    for (int64_t step = 0; step < 9; ++step) {
      maker.Event(modules, 100 * step, 100 * step + 90, step < 5 ? "jit_train(12)" : "jit_train(13)");
      maker.Event(ops, 100 * step, 100 * step + 90, "fusion");
    }
    const auto run = maker.Finish();
    EXPECT_EQ(RunView::Make(*run, {})->hosts[0].series[0].steps.size(), 9u);
  }
}

TEST(Steps, WorkAfterInferredStepsIsCounted) {
  const auto runs = StepsOfCpu("iiTTTTTTTee",
                               {{'i', {"jit_init", 1}}, {'T', {"jit_train", 7}}, {'e', {"jit_evaluate", 9}}});
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].steps.size(), 7u);
  EXPECT_EQ(runs[0].outside, Ps(100));
  const auto launches = LetterLoop{"ltttttttee"}.Find();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].steps.size(), 7u);
  EXPECT_EQ(launches[0].outside, Ps(20));
}

// A capture that somebody else began and ended, in the middle of steps: there are more runs than calls, or as
// many of both that are not each other's. A call gives its work to a thread of the pool, or does it itself.
TEST(Steps, ARunOfACpuIsTheCallsThatGaveItToItsThread) {
  for (const bool pool : {true, false}) {
    TestTraceMaker maker;
    const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
    const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps, true);
    const PlaneId host = maker.Host();
    const auto python = maker.Thread(host, 1, "python");
    const auto worker = maker.Thread(host, 2, "tf_XLAPjRtCpuClient");
    for (int64_t i = 0; i < 6; ++i) {
      const int64_t t = 1000 * i;
      const TestTraceMaker::Args run = {{"run_id", 77 * (i + 1)}, {"device_ordinal", int64_t{0}}};
      if (i > 0) {  // the first call came before the capture
        maker.Event(python, t, t + 900, "train", {{"step_num", i}});
        maker.Event(python, t + 10, t + (pool ? 50 : 500),
                    "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice");
        if (pool) maker.Event(python, t + 20, t + 20, "ThreadpoolListener::Record", {{"_p", 7 * i}});
        if (pool) maker.Event(python, t + 60, t + 70, "CommonPjRtBuffer::Await");
        if (pool) maker.Event(worker, t + 90, t + 90, "ThreadpoolListener::StartRegion", {{"_c", 7 * i}});
      }
      maker.Event(pool ? worker : python, t + 100, t + 400, "fusion", run);
      maker.Event(ops, t + 100, t + 400, "fusion", run);
      if (pool) maker.Event(worker, t + 450, t + 450, "ThreadpoolListener::StopRegion");
    }
    const auto run = maker.Finish();
    const RunView view = *RunView::Make(*run, {});
    ASSERT_EQ(view.hosts[0].series.size(), 1u);
    const std::vector<Step>& steps = view.hosts[0].series[0].steps;
    ASSERT_EQ(steps.size(), 5u);
    for (size_t s = 0; s < steps.size(); ++s) {
      EXPECT_EQ(steps[s].events[0], 1u);
      EXPECT_EQ(steps[s].time[0].end, Ps(1000 * static_cast<int64_t>(s + 1) + 400));
    }
    // A host that runs the programs itself has not waited for them.
    EXPECT_EQ(view.hosts[0].series[0].waits, pool);
    EXPECT_EQ(view.hosts[0].series[0].runs_inline, !pool);
  }
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

TEST(Steps, InferredStepsOfALoopThatWaits) {
  for (const bool waits : {false, true}) {
    GpuRun run;
    for (int i = 0; i < 5; ++i) {
      run.Host("python", 100 * i, 30, "PjitFunction(f)")
          .Host("python", 100 * i + 10, 5, "cuLaunchKernel", i)
          .Host("python", 100 * i + 40, 20, waits ? "block_until_ready" : "sleep")
          .Work(0, 1, 100 * i + 20, 30, "kernel", i);
    }
    const RunView view = run.View();
    ASSERT_EQ(view.hosts[0].series.size(), 1u);
    EXPECT_EQ(view.hosts[0].series[0].waits, waits);
    EXPECT_EQ(view.hosts[0].series[0].LoopText(),
              waits ? "the host waits for each step" : "the host does not wait for results");
  }
}

// A call compiles first, and launches then: both are of the step that it begins.
TEST(Steps, AnInferredOneBeginsWithTheCallAroundItsFirstLaunch) {
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 1);
  const auto python = maker.Thread(maker.Host(), 1, "python");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i;
    maker.Event(python, t, t + 800, "PjitFunction(f)");
    maker.Event(python, t + 10, t + 790, "PjitFunction(f)");
    if (i == 3) maker.Event(python, t + 100, t + 600, "backend_compile_and_load");
    maker.Event(python, t + 700, t + 750, "PjRtLoadedExecutable::Execute (jit_f)", {{"run_id", i}});
    maker.Event(python, t + 710, t + 720, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(stream, t + 720, t + 900, "kernel", {{"correlation_id", i}});
    // Launched by a call that made the one before too: no step begins with that.
    maker.Event(python, t + 760, t + 780, "PjRtLoadedExecutable::Execute (jit_g)", {{"run_id", 10 + i}});
  }
  const auto run = maker.Finish();
  const RunView view = *RunView::Make(*run, {});
  ASSERT_EQ(view.hosts[0].series.size(), 1u);
  const std::vector<Step>& steps = view.hosts[0].series[0].steps;
  ASSERT_EQ(steps.size(), 6u);
  for (size_t s = 0; s + 1 < steps.size(); ++s) {
    const auto t = static_cast<int64_t>(1000 * s);
    EXPECT_EQ(steps[s].host, (Interval{Ps(t), Ps(t + 1000)}));
    EXPECT_EQ(steps[s].compiles, s == 3);
    EXPECT_EQ(steps[s].events[0], 1u);
  }
}

TEST(Steps, AnInferredOneDoesNotBeginBeforeTheLastLaunchOfAnother) {
  TestTraceMaker maker;
  const auto stream = maker.Stream(maker.Gpu(0), 1);
  const auto python = maker.Thread(maker.Host(), 1, "python");
  maker.Event(python, 0, 10'000, "PjitFunction(all)");
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t t = 1000 * i;
    maker.Event(python, t + 700, t + 750, "PjRtLoadedExecutable::Execute (jit_f)", {{"run_id", i}});
    maker.Event(python, t + 710, t + 720, "cuLaunchKernel", {{"correlation_id", i}});
    maker.Event(stream, t + 720, t + 900, "kernel", {{"correlation_id", i}});
  }
  const auto run = maker.Finish();
  const std::vector<Step> steps = RunView::Make(*run, {})->hosts[0].series[0].steps;
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0].host, (Interval{Ps(0), Ps(1700)}));
  EXPECT_EQ(steps[1].host, (Interval{Ps(1700), Ps(2700)}));
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
            std::vector<std::string>{"without the work of 4 steps of eval: --series eval shows it"});
  const RunView eval = run.View({.series = "eval"});
  ASSERT_EQ(eval.hosts[0].series.size(), 1u);
  EXPECT_EQ(eval.hosts[0].series[0].name, "eval");
  EXPECT_TRUE(eval.CoverageNotes().empty());
  EXPECT_FALSE(
      Intersect(eval.hosts[0].windows[0], {{Interval{Ps(1'720'000'000), Ps(1'770'000'000)}}}).empty());
}

TEST(Steps, WhatRanMeanwhileIsSaidToCount) {
  GpuRun run;
  for (int i = 0; i < 6; ++i) {
    for (const auto& [thread, kind, id] : {std::tuple("one", "a", 10), std::tuple("two", "b", 20)}) {
      run.Host(thread, 1000 * i, 900, kind, -1, i).Host(thread, 1000 * i + 1, 5, "launch", 100 * i + id);
    }
    run.Work(0, 1, 1000 * i + 10, 500, "fa", 100 * i + 10)
        .Work(0, 2, 1000 * i + 400, 200, "fb", 100 * i + 20);
  }
  const RunView view = run.View();
  EXPECT_EQ(view.hosts[0].series[0].name, "a");
  EXPECT_EQ(
      view.CoverageNotes(),
      std::vector<std::string>{"counts what ran meanwhile, also of 6 steps of b: --series b shows them"});
}

TEST(Steps, NoneWithoutAnnotationsOrPeriod) { EXPECT_TRUE(Steps(MakeTrace({}, {{0, 10, 20}})).empty()); }

}  // namespace
}  // namespace gait::analyze

#include <gtest/gtest.h>

#include <random>

#include "gait/analyze/question/idle/gaps.h"
#include "gait/analyze/question/idle/idle_report.h"
#include "gait/analyze/question/idle/launch_stats.h"
#include "gait/analyze/view/test_gpu.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

HostIdle Idle(const RunView& view) { return FindIdle(view.hosts[0]); }

// Microseconds of each cause on a device, only those there are.
std::map<std::string, double> Causes(const DeviceIdle& device) {
  std::map<std::string, double> causes;
  for (size_t c = 0; c < kIdleCauses; ++c) {
    if (device.by[c] == Ps()) continue;
    causes[std::string(Name(static_cast<IdleCause>(c)))] = static_cast<double>(device.by[c].value()) / 1e6;
  }
  return causes;
}
std::map<std::string, double> Causes(GpuRun& run) { return Causes(Idle(run.View()).devices[0]); }
using Map = std::map<std::string, double>;

TEST(Idle, AGapLongerThanEveryLimitHasItsClass) {
  // Times at both ends of what a damaged capture may hold.
  constexpr int64_t kFar = 2'000'000'000'000;
  GpuRun run;
  run.Work(0, 14, 0, 10, "k1", 1).Work(0, 14, kFar, 10, "k2", 2);
  const RunView view = run.View();
  const DeviceIdle device = Idle(view).devices[0];
  EXPECT_GT(device.idle, Ps(kMaxTime.value() / 5 * 4));
  EXPECT_EQ(device.lengths.back().gaps, 1U);
  EXPECT_EQ(device.lengths.back().time, device.idle);
}

TEST(Idle, ALateLaunchIsSplitByWhatTheHostDid) {
  GpuRun run;
  run.Host("python", 0, 400, "outer")
      .Host("python", 8, 2, "PjitFunction(f)", 1)
      .Work(0, 14, 10, 40, "k1", 1)             // runs until 50
      .Host("python", 20, 130, "data_loading")  // the device waits for it from 50 to 150
      .Host("python", 160, 20, "np.asarray(jax.Array)")
      .Host("python", 180, 20, "PjitFunction(f)")
      .Host("python", 185, 5, "cuMemAlloc_v2")
      .Host("python", 200, 6, "launch", 2)
      .Work(0, 14, 210, 40, "k2", 2);
  // 150 to 160 is Python code; 200 to 210 the launch and its latency.
  EXPECT_EQ(Causes(run),
            (Map{{"input", 100}, {"dispatch", 25}, {"host_sync", 20}, {"allocator", 5}, {"launch", 10}}));
  const RunView view = run.View();
  const HostIdle idle = Idle(view);
  ASSERT_EQ(idle.devices[0].longest.size(), 1U);
  const IdleGap& gap = idle.devices[0].longest[0];
  const Trace& trace = view.hosts[0].trace();
  EXPECT_EQ(gap.cause, IdleCause::kInput);
  EXPECT_EQ(gap.time, (Interval{Microseconds(50), Microseconds(210)}));
  EXPECT_EQ(trace.text(gap.scene.annotation), "data_loading");
  EXPECT_EQ(trace.name(gap.ended_by), "k2");
}

TEST(Idle, WhatAnAnnotationOutlivesIsInTheScene) {
  // TraceAnnotation begins inside its own constructor, whose frame ends later.
  GpuRun run;
  run.Host("python", 8, 2, "PjitFunction(f)", 1)
      .Work(0, 14, 10, 40, "k1", 1)  // runs until 50
      .Host("python", 30, 110, "$profiler.py:385 __init__")
      .Host("python", 45, 255, "train")
      .Host("python", 200, 6, "launch", 2)
      .Work(0, 14, 210, 40, "k2", 2);
  const RunView view = run.View();
  const HostIdle idle = Idle(view);
  ASSERT_EQ(idle.devices[0].longest.size(), 1U);
  const HostScene& scene = idle.devices[0].longest[0].scene;
  EXPECT_EQ(view.hosts[0].trace().text(scene.annotation), "train");
  EXPECT_EQ(view.hosts[0].trace().text(scene.python), "$profiler.py:385 __init__");
}

TEST(Idle, WorkLaunchedInTimeIsAGapBetweenKernelsOrADependency) {
  GpuRun run;
  for (int64_t i = 0; i < 3; ++i) run.Host("python", static_cast<double>(i), 1, "launch", i);
  run.Work(0, 14, 10, 10, "a", 0).Work(0, 14, 35, 10, "b", 1).Work(0, 14, 61, 10, "c", 2);
  EXPECT_EQ(Causes(run), (Map{{"kernel_gap", 15}, {"dependency", 16}}));
}

TEST(Idle, ALaunchThatTakesTooLongAfterItsCallWasHeld) {
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Work(0, 14, 2, 8, "a", 0);
  run.Host("python", 20, 5, "launch", 1).Work(0, 14, 125, 5, "b", 1);   // 100 after the call: latency
  run.Host("python", 140, 5, "launch", 2).Work(0, 14, 246, 5, "c", 2);  // 101: held
  EXPECT_EQ(Causes(run), (Map{{"dispatch", 20}, {"launch", 110}, {"dependency", 101}}));
}

TEST(Idle, ALaunchThatIsHeldWhileAnotherThreadStagesDataWaitsForThat) {
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Work(0, 14, 2, 8, "a", 0);
  run.Host("python", 20, 5, "launch", 1);
  run.Host("pool", 15, 50, "H2D Dispatch").Host("pool", 20, 20, "Transpose::Execute");
  run.Host("other pool", 60, 20, "H2D Dispatch").Host("other pool", 100, 200, "H2D Dispatch");
  run.Work(0, 14, 325, 5, "b", 1);
  // The call ends at 25; [80, 100) and [300, 325) nobody brings anything.
  EXPECT_EQ(Causes(run), (Map{{"dispatch", 10}, {"launch", 5}, {"staging", 255}, {"dependency", 45}}));
}

TEST(Idle, WorkThatWasLaunchedBeforeTheGapMayWaitForDataToo) {
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Host("python", 1, 1, "launch", 1);
  run.Host("pool", 5, 35, "H2D Dispatch");
  run.Work(0, 14, 10, 10, "a", 0).Work(0, 14, 50, 10, "b", 1);
  EXPECT_EQ(Causes(run), (Map{{"staging", 20}, {"dependency", 10}}));
}

TEST(Idle, InsideAProgramNothingWaitsForStaging) {
  // Its arguments were there when it began: the thread brings those of the next.
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Host("pool", 5, 35, "H2D Dispatch");
  run.Work(0, 14, 10, 10, "a", 0).Work(0, 14, 50, 10, "b", 0);
  EXPECT_EQ(Causes(run), (Map{{"dependency", 30}}));
}

TEST(Idle, InputInsideOfStagingIsNoStaging) {
  GpuRun run;
  run.Step(0, 0, 1).Host("python", 0, 1, "launch", 0).Host("python", 1, 1, "launch", 1);
  run.Host("loader", 10, 60, "$loader.py:3 device_put").Host("loader", 30, 20, "data_loading");
  run.Work(0, 14, 10, 10, "a", 0).Work(0, 14, 60, 10, "b", 1);
  EXPECT_EQ(Causes(run), (Map{{"launch", 10}, {"staging", 20}, {"dependency", 20}}));
}

TEST(Idle, GraphsAreOneLaunch) {
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Work(0, 14, 2, 8, "a", 0);
  // The call lasts longer than it takes until the first node, and while nodes run.
  run.Host("python", 20, 50, "cuGraphLaunch (CudaGraph:5)", 1);
  run.Work(0, 14, 30, 5, "n1", 1).Work(0, 14, 37, 5, "n2", 1).Work(0, 14, 62, 5, "n3", 1);
  EXPECT_EQ(Causes(run),
            (Map{{"dispatch", 10}, {"graph_launch", 10}, {"kernel_gap", 2}, {"dependency", 20}}));
}

TEST(Idle, AnIdleWorkerIsExplainedByThePythonThread) {
  GpuRun run;
  run.Step(0, 0, 200).Host("worker", 1, 1, "launch", 0).Work(0, 15, 2, 8, "MemcpyH2D", 0);
  run.Host("python", 10, 30, "load_batch").Host("worker", 60, 30, "H2D Dispatch");
  run.Host("worker", 95, 2, "MemcpyH2D", 1).Work(0, 15, 97, 3, "MemcpyH2D", 1);
  // Before the first copy the launch; 40 to 60 and 90 to 95 the Python thread is in its step and nothing
  // more.
  EXPECT_EQ(Causes(run), (Map{{"input", 30}, {"staging", 30}, {"dispatch", 26}, {"launch", 3}}));
}

TEST(Idle, ALoopThatWaitsForAnotherThreadsInputWaitsForInput) {
  GpuRun run = StarvedLoop();
  const RunView view = run.View();
  const DeviceIdle device = Idle(view).devices[0];
  const Map causes = Causes(device);
  EXPECT_NEAR(causes.at("input"), 9'000 * 4, 1);
  EXPECT_EQ(view.hosts[0].trace().text(device.longest[1].scene.annotation), "data_loading");
  // The thread may bring it to the device, which the loop waits for as well.
  GpuRun put;
  for (int i = 0; i < 4; ++i) {
    const double t = 10'000 * i;
    put.Step(i, t, 9'900)
        .Host("loader", t + 100, 6'000, "data_loading")
        .Host("loader", t + 6'600, 2'500, "device_put");
    put.Host("python", t + 9'120, 5, "launch", i).Work(0, 14, t + 9'130, 600, "Memcpy", i);
  }
  EXPECT_NEAR(Causes(put).at("input"), 9'000 * 4, 1);
  // Nothing says that other work of another thread is waited for.
  GpuRun other = StarvedLoop("indexing");
  EXPECT_EQ(Causes(other).count("input"), 0U);
}

TEST(Idle, ADeviceThatIsDoneBeforeOthersWaitsForTheHostThatWaitsForThem) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    const double t = 10'000 * i;
    run.Step(i, t, 9'900).Host("python", t + 10, 5, "launch", i);
    run.Work(0, 14, t + 20, 3'000, "Memcpy", i)
        .Work(1, 14, t + 20, 9'600, "Memcpy", i);  // and no event says so
    run.Host("python", t + 9'700, 100, "log");
  }
  const RunView view = run.View();
  const HostIdle idle = Idle(view);
  EXPECT_NEAR(Causes(idle.devices[0]).at("host_sync"), 3 * 6'600, 1);  // after the last nothing is launched
  EXPECT_EQ(Causes(idle.devices[1]).count("host_sync"), 0U);
  const RunView one = run.View({.device = "0"});
  EXPECT_EQ(Causes(Idle(one).devices[0]), Causes(idle.devices[0]));
}

TEST(Idle, InputThatEndsWhileTheLoopIsAtOtherThingsIsNotWaitedFor) {
  GpuRun run;
  for (int i = 0; i < 4; ++i) {
    const double t = 10'000 * i;
    run.Step(i, t, 9'900).Host("loader", t + 100, 4'000, "data_loading");  // long before the launch
    run.Host("python", t + 9'120, 5, "launch", i).Work(0, 14, t + 9'130, 600, "Memcpy", i);
  }
  EXPECT_EQ(Causes(run).count("input"), 0U);
  // Nor is that of a pool, of which one is over at any time, and by chance just before a launch.
  GpuRun pool;
  for (int i = 0; i < 4; ++i) {
    const double t = 10'000 * i;
    pool.Step(i, t, 9'900);
    for (int n = 0; n < 4; ++n) {
      const double end = t + 500 + 2'300 * n + 1'700 * i / 3.0;
      pool.Host("loader" + std::to_string(n), end - 400, 400, "data_loading");
    }
    pool.Host("python", t + 9'120, 5, "launch", i).Work(0, 14, t + 9'130, 600, "Memcpy", i);
  }
  EXPECT_EQ(Causes(pool).count("input"), 0U);
  GpuRun busy = StarvedLoop();
  for (int i = 0; i < 4; ++i) busy.Host("python", 10'000 * i + 50, 9'060, "PjitFunction(f)");
  EXPECT_EQ(Causes(busy).count("input"), 0U);
}

TEST(Idle, ABusyMachineMayWakeTheLoopLate) {
  const auto waits_for_input = [](const std::vector<double>& late) {
    GpuRun run;
    for (size_t i = 0; i < late.size(); ++i) {
      const double t = 40'000 * static_cast<double>(i);
      const double call = t + 30'100 + late[i];
      run.Step(static_cast<int64_t>(i), t, 39'900).Host("loader", t + 100, 30'000, "data_loading");
      run.Host("python", call, 5, "launch", static_cast<int64_t>(i));
      run.Work(0, 14, call + 20, 600, "Memcpy", static_cast<int64_t>(i));
    }
    return Causes(run).contains("input");
  };
  EXPECT_TRUE(waits_for_input({2'500, 2'500, 2'500, 2'500}));
  EXPECT_TRUE(waits_for_input({100, 5'000, 4'900, 100}));
  EXPECT_FALSE(waits_for_input({5'000, 5'000, 5'000, 5'000}));  // it did something else
  EXPECT_FALSE(waits_for_input({1'000, 12'000, 6'000, 9'000, 15'000, 4'000, 11'000, 2'000}));
  EXPECT_FALSE(waits_for_input({1, 9'000, 9'000, 9'000, 9'000, 9'000}));  // one coincidence
}

TEST(Idle, BringingBytesAndCallingBackAreNoInput) {
  GpuRun run;
  run.Step(0, 0, 400).Host("python", 0, 1, "launch", 0).Work(0, 14, 1, 9, "a", 0);
  run.Host("python", 10, 40, "data_loading").Host("python", 50, 30, "BufferFromHostBuffer");
  run.Host("python", 55, 20, "Transpose");
  run.Host("python", 80, 20, "xla_ffi_python_gpu_callback");
  run.Host("python", 100, 10, "ThenExecuteCallback:Sync");  // the runtime's own, no callback into Python
  run.Host("python", 110, 1, "launch", 1).Work(0, 14, 112, 5, "b", 1);
  EXPECT_EQ(Causes(run),
            (Map{{"input", 40}, {"staging", 30}, {"callback", 20}, {"dispatch", 10}, {"launch", 3}}));
}

TEST(Idle, BeforeACallbacksCopiesEverythingIsTheCallback) {
  const auto causes = [](const std::string& target) {
    constexpr int64_t kMicro = 1'000'000;
    ProgramMaker maker("jit_f");
    const InstructionIndex call = maker.Add("custom-call.1", "custom-call");
    maker.SetTarget(call, target);
    TestCapture capture;
    capture.programs.push_back(maker.Finish());
    capture.events = {{.begin = 2 * kMicro, .end = 10 * kMicro, .kernel = "k", .correlation = 1},
                      {.begin = 100 * kMicro,
                       .end = 110 * kMicro,
                       .kernel = "MemcpyD2H",
                       .program = 0,
                       .instruction = call,
                       .correlation = 2}};
    capture.calls = {{0, kMicro, "launch", 1},
                     {10 * kMicro, 50 * kMicro, "BufferFromHostBuffer"},
                     {90 * kMicro, 91 * kMicro, "launch", 2}};
    const TestView test(std::move(capture));
    return Causes(Idle(test.view).devices[0]);
  };
  EXPECT_EQ(causes("xla_ffi_python_gpu_callback"), (Map{{"callback", 80}, {"launch", 10}}));
  EXPECT_EQ(causes("__cublas$gemm"), (Map{{"staging", 40}, {"dispatch", 40}, {"launch", 10}}));
}

TEST(Idle, CompilingOnAnyThreadIsCompiling) {
  GpuRun run;
  run.Step(0, 0, 100).Host("python", 0, 1, "launch", 0).Work(0, 14, 1, 9, "a", 0);
  run.Host("python", 10, 60, "backend_compile_and_load").Host("pool", 30, 10, "PTX->CUBIN");
  run.Host("pool", 62, 2, "launch", 1).Work(0, 14, 65, 5, "autotuned", 1);
  // 30 to 40 the pool's own event says nothing of compiling: it is not known as a compile thread.
  EXPECT_EQ(Causes(run), (Map{{"compile", 42}, {"dispatch", 10}, {"launch", 4}}));
}

TEST(Idle, WithoutACallOnlyShortGapsAreExplained) {
  GpuRun run;
  run.Work(0, 14, 0, 10, "a").Work(0, 14, 20, 10, "b").Work(0, 14, 100, 10, "c");
  EXPECT_EQ(Causes(run), (Map{{"kernel_gap", 10}, {"unknown", 70}}));
}

TEST(Idle, ADeviceThatStopsEarlierThanOthers) {
  GpuRun run;
  run.Work(0, 14, 0, 10, "a").Work(1, 14, 0, 50, "b");
  const HostIdle idle = Idle(run.View());
  EXPECT_EQ(Causes(idle.devices[0]), (Map{{"unknown", 40}}));
  EXPECT_EQ(Causes(idle.devices[1]), Map{});
}

TEST(Idle, OverlapStreamsAndZeroLengthLeaveNoGap) {
  GpuRun run;
  run.Work(0, 14, 0, 30, "a").Work(0, 14, 20, 20, "overlaps").Work(0, 15, 35, 15, "MemcpyH2D");
  run.Work(0, 14, 55, 0, "zero").Work(0, 14, 60, 10, "b");
  EXPECT_EQ(Causes(run), (Map{{"kernel_gap", 10}}));
}

TEST(Idle, ACollectiveThatWaitsForTheLastDevice) {
  GpuRun run;
  for (int64_t gpu = 0; gpu < 2; ++gpu) {
    run.Host("python", 0, 1, "launch", gpu * 10).Host("python", 1, 1, "launch", gpu * 10 + 1);
  }
  // GPU 1 computes until 80; GPU 0 is done at 20 and begins the collective at 90, like GPU 1.
  run.Work(0, 14, 10, 10, "a", 0).Work(0, 15, 90, 10, "ncclDevKernel_AllReduce", 1);
  run.Work(1, 14, 10, 70, "a", 10).Work(1, 15, 90, 10, "ncclDevKernel_AllReduce", 11);
  const HostIdle idle = Idle(run.View());
  EXPECT_EQ(Causes(idle.devices[0]), (Map{{"peer", 60}, {"dependency", 10}}));
  EXPECT_EQ(Causes(idle.devices[1]), (Map{{"kernel_gap", 10}}));
}

TEST(Idle, StepsHaveTheirOwnGaps) {
  GpuRun run;
  for (int64_t step = 0; step < 3; ++step) {
    const double at = static_cast<double>(step) * 1000;
    run.Step(step, at, 500).Host("python", at + 100, 5, "launch", step).Work(0, 14, at + 200, 300, "a", step);
  }
  const RunView view = run.View();
  const HostIdle idle = Idle(view);
  const DeviceIdle& device = idle.devices[0];
  ASSERT_EQ(device.steps.size(), 2U);  // nobody knows where the first began
  Ps sum;
  for (const DeviceIdle::OfStep& of : device.steps) {
    const Partition parts = idle.view->times[0].Split(of.step->time[0]);
    EXPECT_EQ(of.idle, parts.idle);
    sum += of.idle;
  }
  EXPECT_EQ(sum, device.idle);
  // [500, 1100) is Python, then the launch; after the call 95 us of latency.
  EXPECT_EQ(device.steps[0].by[Index(IdleCause::kDispatch)], Microseconds(600));
  EXPECT_EQ(device.steps[0].by[Index(IdleCause::kLaunch)], Microseconds(100));
  EXPECT_EQ(device.longest[0].step->number, 1);
}

// Any trace: each picosecond of idle time has one cause, for every selection of steps.
TEST(Idle, CausesSumToTheIdleTimeOfThePartition) {
  std::mt19937 random(7);
  const auto any = [&](int most) { return static_cast<double>(random() % static_cast<unsigned>(most)); };
  for (int round = 0; round < 200; ++round) {
    GpuRun run;
    for (int64_t i = 0; i < 20; ++i) {
      const std::string thread = random() % 2 == 0 ? "python" : "worker";
      const std::vector<std::string> names = {
          "PjitFunction(f)", "data",       "$a.py:1 f", "block_until_ready",
          "H2D Dispatch",    "Rendezvous", "compile"};
      run.Host(thread, any(2000), any(200), names[random() % names.size()]);
      if (random() % 4 != 0)
        run.Host(thread, any(2000), any(100), i % 3 == 0 ? "cuGraphLaunch" : "launch", i);
      run.Work(static_cast<int64_t>(random() % 2), static_cast<int64_t>(random() % 2), any(2000), any(100),
               random() % 5 == 0 ? "ncclDevKernel" : "k", static_cast<int64_t>(random() % 24));
    }
    for (int64_t step = 0; step < 4; ++step)
      run.Step(step, static_cast<double>(step) * 400 + any(100), any(500));
    const RunView view = run.View();
    const HostIdle idle = Idle(view);
    for (size_t d = 0; d < idle.devices.size(); ++d) {
      const DeviceIdle& device = idle.devices[d];
      Ps expected;
      for (const Interval window : view.hosts[0].windows[d])
        expected += view.hosts[0].times[d].Split(window).idle;
      Ps sum;
      for (const Ps part : device.by) sum += part;
      EXPECT_EQ(sum, expected) << round;
      EXPECT_EQ(device.idle, expected) << round;
      for (const DeviceIdle::OfStep& of : device.steps) {
        Ps of_step;
        for (const Ps part : of.by) of_step += part;
        EXPECT_EQ(of_step, of.idle) << round;
      }
    }
  }
}

TEST(LaunchStats, DelayAndDepthInLaunches) {
  GpuRun run;
  // Three launches at once; the graph has three nodes and is one launch.
  run.Host("python", 0, 2, "launch", 0)
      .Host("python", 10, 2, "cuGraphLaunch", 1)
      .Host("python", 20, 2, "launch", 2);
  run.Work(0, 14, 30, 10, "a", 0);
  run.Work(0, 14, 40, 10, "n", 1).Work(0, 14, 50, 10, "n", 1).Work(0, 14, 60, 10, "n", 1);
  run.Work(0, 14, 70, 30, "Memset 1", 2);
  const RunView view = run.View();
  const std::vector<DeviceLaunches> launches = FindLaunches(view.hosts[0], view.hosts[0].work);
  ASSERT_EQ(launches[0].kinds.size(), 3U);
  EXPECT_EQ(Name(launches[0].kinds[0].kind), "kernel");
  EXPECT_EQ(launches[0].kinds[0].delay.mean, Microseconds(28));
  EXPECT_EQ(Name(launches[0].kinds[1].kind), "graph");
  EXPECT_EQ(launches[0].kinds[1].launches, 1U);
  EXPECT_EQ(launches[0].kinds[1].nodes, 3U);
  EXPECT_EQ(launches[0].kinds[1].delay.max, Microseconds(28));
  EXPECT_EQ(Name(launches[0].kinds[2].kind), "copy");
  EXPECT_EQ(launches[0].kinds[2].call.p50, Microseconds(2));
  // The window is [30, 100): two wait until 40, one until 70, none after.
  const QueueDepth& queue = launches[0].queue;
  EXPECT_EQ(queue.max, 2);
  EXPECT_EQ(queue.empty, Microseconds(30));
  EXPECT_DOUBLE_EQ(queue.mean, (2.0 * 10 + 1 * 30) / 70);
  EXPECT_EQ(queue.p50, 1);
}

report::Document Document(GpuRun& run) {
  const RunView view = run.View();
  return IdleDocument(view, std::nullopt);
}

TEST(IdleDocument, EveryColumnSaysWhatItMeans) {
  GpuRun empty;
  GpuRun run;
  run.Host("python", 0, 1, "launch", 0).Work(0, 14, 1, 9, "a", 0).Work(0, 14, 50, 9, "b");
  for (const report::Document& document : {Document(run), Document(empty)}) {
    EXPECT_FALSE(document.answer.empty());
    for (const report::Table& table : document.tables) {
      for (const report::Column& column : table.columns) EXPECT_FALSE(column.about.empty()) << column.name;
      for (const report::Row& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.name;
    }
  }
}

TEST(IdleDocument, WorkOfAProgramThatIsNotThereNamesItsOperation) {
  constexpr int64_t kMicro = 1'000'000;
  TestCapture capture;
  capture.events = {{.begin = 0, .end = kMicro, .kernel = "k"},
                    {.begin = 50 * kMicro,
                     .end = 60 * kMicro,
                     .kernel = "input_reduce_fusion_1",
                     .kind = AttributionKind::kNoProgram},
                    {.begin = 90 * kMicro, .end = 95 * kMicro, .kernel = "k"}};
  const TestView test(std::move(capture));
  const report::Document document = IdleDocument(test.view, std::nullopt);
  const report::Table& gaps = document.tables[1];
  const auto column = std::ranges::find(gaps.columns, "ended_by", &report::Column::name);
  ASSERT_NE(column, gaps.columns.end());
  const auto ended_by = [&](size_t row) {
    return gaps.rows.at(row)[static_cast<size_t>(column - gaps.columns.begin())].text();
  };
  EXPECT_TRUE(ended_by(0).starts_with("op")) << ended_by(0);  // its hlo_op
  EXPECT_EQ(ended_by(1), "k");                                // of no operation
}

TEST(IdleDocument, AThreadThatWaitsDidNotPrepareTheCopies) {
  GpuRun run;
  run.Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 5, "k1", 1);
  run.Host("python", 12, 3, "launch", 2).Host("python", 20, 500, "np.asarray(jax.Array)");
  run.Host("worker", 20, 480, "H2D Dispatch").Work(0, 14, 505, 10, "k2", 2);
  const report::Document document = Document(run);
  EXPECT_NE(document.answer.find("while the host prepared copies to the device."), std::string::npos)
      << document.answer;
}

TEST(IdleDocument, ACauseThatHasMostOfNoGapListsThoseItHasAPartOf) {
  GpuRun run;
  run.Host("python", 0, 5, "launch", 1).Work(0, 14, 5, 5, "k1", 1);
  run.Host("python", 12, 100, "data_loading").Host("python", 120, 20, "cuMemAlloc_v2");
  run.Host("python", 150, 3, "launch", 2).Work(0, 14, 155, 10, "k2", 2);
  const RunView view = run.View();
  const report::Table gaps = IdleDocument(view, IdleCause::kAllocator).tables[1];
  ASSERT_EQ(gaps.rows.size(), 1);
  const auto at = [&](std::string_view name) {
    return static_cast<size_t>(std::ranges::find(gaps.columns, name, &report::Column::name) -
                               gaps.columns.begin());
  };
  EXPECT_EQ(gaps.rows[0].at(at("cause")).text(), "input");
  EXPECT_EQ(gaps.rows[0].at(at("by_allocator")).integer(), Microseconds(20).value());
  EXPECT_FALSE(gaps.columns.at(at("by_allocator")).show.hidden);
  EXPECT_TRUE(gaps.columns.at(at("by_input")).show.hidden);
  const report::Table none = IdleDocument(view, IdleCause::kCompile).tables[1];
  EXPECT_TRUE(none.rows.empty());
  EXPECT_EQ(none.if_empty, "no idle time has the cause compile");
}

TEST(IdleCause, NamesAreStable) {
  for (size_t c = 0; c < kIdleCauses; ++c) {
    const auto cause = static_cast<IdleCause>(c);
    EXPECT_EQ(FindIdleCause(Name(cause)), cause);
    EXPECT_FALSE(Describe(cause).empty());
    EXPECT_FALSE(Phrase(cause).empty());
  }
  EXPECT_EQ(FindIdleCause("laziness"), std::nullopt);
}

}  // namespace
}  // namespace gait::analyze

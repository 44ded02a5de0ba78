#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// `kernels` of 5 us a step, launched every `every` us; the host needs 4 us for each.
GpuRun Launching(int kernels, double every, double duration) {
  GpuRun run;
  int64_t correlation = 1;
  for (int64_t i = 0; i < 4; ++i) {
    const double t = 10'000 * static_cast<double>(i);
    run.Step(i, t, 9'000);
    for (int k = 0; k < kernels; ++k) {
      const double at = t + every * k;
      run.Host("python", at, 4, "cuLaunchKernel", correlation);
      run.Work(0, 7, at + 5, duration, "kernel", correlation++);
    }
  }
  return run;
}

TEST(LaunchBoundRule, SpeaksWhenLaunchesComeTooSlowly) {
  GpuRun run = Launching(90, 100, 5);
  const auto found = FindingsOf(run.View(), "launch_bound");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_GT(CostMs(found[0]), 7);
}

TEST(LaunchBoundRule, CountsShortKernelsOfAllNames) {
  const auto evidence = [](bool heavy) {
    GpuRun run = Launching(80, 100, 5);
    for (int i = 0; heavy && i < 4; ++i) run.Work(0, 7, 10'000 * i + 120, 40, "gemm");
    const auto found = FindingsOf(run.View(), "launch_bound");
    EXPECT_EQ(found.size(), 1u);
    return found.at(0).evidence.at(0).text;
  };
  EXPECT_TRUE(evidence(false).starts_with("80 kernels a step, all of them below 10 µs; ")) << evidence(false);
  EXPECT_TRUE(evidence(true).starts_with("81 kernels a step, 80 of them below 10 µs; ")) << evidence(true);
}

TEST(LaunchBoundRule, IsSilentForFewLaunchesAndForABusyDevice) {
  GpuRun few = Launching(5, 100, 5);
  EXPECT_TRUE(FindingsOf(few.View(), "launch_bound").empty());
  GpuRun busy = Launching(90, 100, 99);
  EXPECT_TRUE(FindingsOf(busy.View(), "launch_bound").empty());
}

// A CPU runs `programs` a step, each for `duration` us of the 100 from launch to launch.
TEST(LaunchBoundRule, SpeaksOfProgramsOnACpu) {
  const auto loop = [](int64_t programs, int64_t duration) {
    TestTraceMaker maker;
    const PlaneId cpu = maker.Plane("/device:CPU:0", PlaneKind::kCpuDevice, 0);
    const auto ops = maker.Track(cpu, 1, "XLA Ops", TrackKind::kOps, true);
    const auto python = maker.Thread(maker.Host(), 1, "python");
    int64_t id = 1;
    for (int64_t i = 0; i < 4; ++i) {
      const int64_t t = 100 * programs * i * kMicro;
      maker.Event(python, t, t + 100 * programs * kMicro - 1, "train", {{"step_num", i}});
      for (int64_t k = 0; k < programs; ++k, ++id) {
        const int64_t at = t + 100 * k * kMicro;
        maker.Event(python, at + kMicro, at + 4 * kMicro, "PjRtLoadedExecutable::Execute", {{"run_id", id}});
        maker.Event(ops, at + 5 * kMicro, at + (5 + duration) * kMicro, "add",
                    {{"run_id", id}, {"device_ordinal", int64_t{0}}});
      }
    }
    const auto run = maker.Finish();
    return FindingsOf(*RunView::Make(*run, {}), "launch_bound");
  };
  const auto eager = loop(40, 10);
  ASSERT_EQ(eager.size(), 1u);
  EXPECT_GT(CostMs(eager[0]), 3);
  EXPECT_NE(eager[0].cause.find("40 programs a step"), std::string::npos);
  EXPECT_TRUE(loop(40, 98).empty());
  EXPECT_TRUE(loop(5, 10).empty());
}

}  // namespace
}  // namespace gait::analyze

#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Each step launches six kernels of 200 us, the host stands still `until` us after each launch, and waits for
// the step at its end.
GpuRun Still(double until, bool noisy) {
  GpuRun run;
  int64_t id = 1;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 2500 * static_cast<double>(i);
    run.Step(i, t, 2450);
    for (int k = 0; k < 6; ++k) {
      const double at = t + 10 + (until + 10) * k;
      if (noisy) run.Host("python", at - 9, 8, "ParseArguments");
      if (noisy) run.Host("python", at + 6, until - 2, "PjitFunction(f)");
      run.Host("python", at, 5, "cuLaunchKernel", id).Work(0, 7, at + 6, 200, "kernel", id);
      ++id;
    }
    run.Host("python", t + 2300, 100, "block_until_ready");
  }
  return run;
}

TEST(HostSyncRule, SpeaksWhenTheHostWaitsForEachStep) {
  const auto loop = [](bool waits) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 900);
      run.Host("python", t + 100, 5, "cuLaunchKernel", 100 + i);
      run.Work(0, 7, waits ? t + 110 : t + 200, waits ? 500 : 995, "kernel", 100 + i);
      if (waits) run.Host("python", t + 120, 700, "block_until_ready");
    }
    return run;
  };
  GpuRun waiting = loop(true);
  const auto found = FindingsOf(waiting.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.5, 0.001);
  EXPECT_NE(found[0].cause.find("block_until_ready"), std::string::npos);
  GpuRun ahead = loop(false);
  EXPECT_TRUE(FindingsOf(ahead.View(), "host_sync").empty());
}

TEST(HostSyncRule, AHostThatIsLateNeedNotHaveWaited) {
  // The device works for 500 us, the host takes 800: with a wait, named work is what waiting does not hide;
  // without one it is the reason, and where nothing is recorded nobody knows.
  const auto loop = [](bool waits, bool named) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 900 * static_cast<double>(i);
      run.Step(i, t, 880);
      run.Host("python", t + 10, 5, "cuLaunchKernel", i).Work(0, 7, t + 20, 500, "kernel", i);
      if (waits) run.Host("python", t + 20, 510, "block_until_ready");
      if (named) run.Host("python", t + (waits ? 540 : 30), waits ? 330 : 840, "bookkeeping");
    }
    return run;
  };
  GpuRun waiting = loop(true, true);
  const auto found = FindingsOf(waiting.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.4, 0.001);
  EXPECT_NE(found[0].cause.find("bookkeeping"), std::string::npos);
  EXPECT_TRUE(FindingsOf(waiting.View(), "between_steps").empty());
  for (const bool named : {false, true}) {
    GpuRun late = loop(false, named);
    EXPECT_TRUE(FindingsOf(late.View(), "host_sync").empty());
    const auto between = FindingsOf(late.View(), "between_steps");
    ASSERT_EQ(between.size(), 1u);
    EXPECT_NEAR(CostMs(between[0]), 0.4, 0.001);
    const char* words = named ? "in bookkeeping" : "or it waits for the result";
    EXPECT_NE(between[0].cause.find(words), std::string::npos) << between[0].cause;
  }
}

TEST(HostSyncRule, CostsNoMoreThanTheHostWaited) {
  // The device works for 100 us a step, the host has 800 us of its own to do: running ahead saves the wait.
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + i);
    run.Work(0, 7, t + 20, 100, "kernel", 100 + i);
    run.Host("python", t + 20, 130, "block_until_ready");
  }
  const RunView view = run.View();
  const auto found = FindingsOf(view, "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.13, 0.01);
  EXPECT_NE(found[0].cause.find("its own code"), std::string::npos);
  // The rest is the host's own work, and no part of it is claimed twice.
  const auto rest = FindingsOf(view, "between_steps");
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_NEAR(CostMs(rest[0]), 0.76, 0.01);
  const Diagnosis both = DiagnosisOf(view);
  ASSERT_EQ(both.findings.size(), 2u);
  EXPECT_TRUE(both.findings[0].overlaps.empty());
  EXPECT_NEAR(both.step_with_fixed[2].milliseconds(), 0.1, 0.01);
}

TEST(HostSyncRule, KnowsAHostThatStandsStillUntilTheDeviceIsDone) {
  // No event says that it waits: it launches the next kernel 60 us after the one before is done.
  GpuRun still = Still(270, false);
  const auto found = FindingsOf(still.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 5 * 0.06);
  EXPECT_TRUE(FindingsOf(still.View(), "launch_bound").empty());
  // A host that is seen working meanwhile does not wait, and neither does one that is still for longer after.
  const auto cost = [](GpuRun run) {
    const auto other = FindingsOf(run.View(), "host_sync");
    return other.empty() ? 0.0 : CostMs(other[0]);
  };
  const double end = cost(Still(205, false));  // the wait at the end of the step alone
  EXPECT_LT(cost(Still(270, true)), CostMs(found[0]) - 0.2);
  EXPECT_GT(CostMs(found[0]), end - 0.1);
}

TEST(HostSyncRule, LeavesNoTimeOfAWaitToTheHostsOwnCode) {
  // 500 us of waiting that go on after the device is done, then 300 of the host's own.
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 300, 5, "cuLaunchKernel", 100 + i).Work(0, 7, t + 310, 100, "kernel", 100 + i);
    run.Host("python", t + 320, 600, "$train.py:9 main");
    run.Host("python", t + 330, 580, "$api.py:3165 try_to_block");
  }
  for (const Finding& rest : FindingsOf(run.View(), "between_steps")) {
    EXPECT_LT(CostMs(rest), 0.4);
    EXPECT_EQ(rest.cause.find("try_to_block"), std::string::npos);
  }
  const auto found = FindingsOf(run.View(), "host_sync");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.39);
}

}  // namespace
}  // namespace gait::analyze

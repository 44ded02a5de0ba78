#include "gait/analyze/view/recording_cost.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

// Three steps of 1 ms with one launch each.
GpuRun Loop() {
  GpuRun run;
  for (int i = 0; i < 3; ++i) {
    const double t = 1'000 * i;
    run.Step(i, t, 900).Host("python", t + 500, 5, "cuLaunchKernel", i).Work(0, 14, t + 510, 300, "gemm", i);
  }
  return run;
}

TEST(RecordingCost, CountsTheLoopsEventsByKind) {
  GpuRun run = Loop();
  for (int i = 0; i < 3; ++i) {
    for (int call = 0; call < 100; ++call) run.Host("python", 1'000 * i + 10 + call, 0.5, "$mine.py:3 f");
    for (int event = 0; event < 10; ++event) run.Host("python", 1'000 * i + 200 + event, 0.5, "part");
    for (int other = 0; other < 1'000; ++other) run.Host("loader", 1'000 * i + 0.5 * other, 0.2, "load");
  }
  const std::optional<RecordingCost> cost = EstimateRecordingCost(run.View());
  ASSERT_TRUE(cost);
  EXPECT_DOUBLE_EQ(cost->python, 100);
  EXPECT_DOUBLE_EQ(cost->driver, 1);
  EXPECT_DOUBLE_EQ(cost->runtime, 11);  // and the annotation
  EXPECT_EQ(cost->Text(), "100 Python calls, 1 driver call, 11 other events a step");
  EXPECT_LT(cost->time.low, cost->time.high);
  EXPECT_NEAR(cost->time.middle().milliseconds(), 0.05, 0.02);  // about half a microsecond a call
}

TEST(RecordingCost, OneStepMoreDoesNotCostMore) {
  GpuRun few = Loop();
  GpuRun more = Loop();
  more.Step(3, 3'000, 900).Host("python", 3'500, 5, "cuLaunchKernel", 3).Work(0, 14, 3'510, 300, "gemm", 3);
  EXPECT_EQ(EstimateRecordingCost(few.View())->time.high, EstimateRecordingCost(more.View())->time.high);
}

TEST(RecordingCost, IsUnknownWithoutSteps) {
  GpuRun run;
  run.Host("python", 0, 5, "cuLaunchKernel", 1).Work(0, 14, 10, 300, "gemm", 1);
  EXPECT_FALSE(EstimateRecordingCost(run.View()));
}

}  // namespace
}  // namespace gait::analyze

#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Each step copies 4 MiB to the host, which unpacks them for `unpacking` us of its wait of 600.
GpuRun Fetching(double unpacking) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + 2 * i)
        .Work(0, 7, t + 20, 200, "kernel", 100 + 2 * i);
    run.Host("python", t + 20, 900, "np.asarray(jax.Array)");
    run.Host("python", t + 25, 5, "cuMemcpyDtoHAsync_v2", 101 + 2 * i);
    run.Work(0, 8, t + 220, 80, "MemcpyD2H", 101 + 2 * i);
    if (unpacking > 0) run.Host("python", t + 310, unpacking, "D2H Copy From Staging Buffer");
  }
  return run;
}

TEST(DeviceToHostRule, TakesTheTimeInWhichTheHostUnpacks) {
  GpuRun unpacks = Fetching(600);
  const auto found = FindingsOf(unpacks.View(), "device_to_host");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.55);
  EXPECT_NE(found[0].cause.find("unpacks"), std::string::npos);
  // What is left to host_sync is the late launch. The same wait without unpacking is all host_sync's.
  for (const Finding& left : FindingsOf(unpacks.View(), "host_sync")) EXPECT_LT(CostMs(left), 0.15);
  GpuRun waits = Fetching(0);
  const auto copies = FindingsOf(waits.View(), "device_to_host");
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_NEAR(CostMs(copies[0]), 0.08, 0.01);
  const auto sync = FindingsOf(waits.View(), "host_sync");
  ASSERT_EQ(sync.size(), 1u);
  EXPECT_GT(CostMs(sync[0]), 0.5);
}

// As on an H200: the host first pins memory for the bytes, and another thread unpacks them.
TEST(DeviceToHostRule, TakesTheTimeInWhichTheHostMakesRoom) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 999);
    run.Host("python", t + 10, 5, "cuLaunchKernel", 100 + 2 * i)
        .Work(0, 7, t + 20, 100, "kernel", 100 + 2 * i);
    run.Host("python", t + 20, 900, "np.asarray(jax.Array)");
    run.Host("worker", t + 600, 5, "cuMemcpyDtoHAsync_v2", 101 + 2 * i);
    run.Work(0, 8, t + 610, 50, "MemcpyD2H", 101 + 2 * i);
    run.Host("copier", t + 670, 240, "D2H Copy From Staging Buffer");
  }
  const auto found = FindingsOf(run.View(), "device_to_host");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(CostMs(found[0]), 0.7);  // 0.49 before the copies, 0.05 of them, 0.25 after them
  EXPECT_NE(found[0].cause.find("makes room"), std::string::npos);
  for (const Finding& left : FindingsOf(run.View(), "host_sync")) EXPECT_LT(CostMs(left), 0.15);
}

}  // namespace
}  // namespace gait::analyze

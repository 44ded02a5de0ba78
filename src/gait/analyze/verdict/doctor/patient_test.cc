#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

// Devices 1 and 2 idle twice each while device 0 idles once: two others, not four.
TEST(GapEvidence, CountsDevicesNotGaps) {
  GpuRun run;
  for (int64_t i = 0; i < 6; ++i) {
    const double t = 1000 * static_cast<double>(i);
    run.Step(i, t, 550);
    run.Host("python", t + 1, 500, "data_loading");
    for (int64_t gpu = 0; gpu < 3; ++gpu) {
      run.Host("python", t + 510 + 5 * static_cast<double>(gpu), 4, "cuLaunchKernel", 1000 + 10 * i + gpu);
      run.Work(gpu, 7, t + 530, 470, "kernel", 1000 + 10 * i + gpu);
      if (gpu == 0) continue;
      run.Host("worker", t + 180 + 5 * static_cast<double>(gpu), 4, "cuLaunchKernel", 2000 + 10 * i + gpu);
      run.Work(gpu, 7, t + 200, 10, "kernel", 2000 + 10 * i + gpu);
    }
  }
  const auto found = FindingsOf(run.View(), "input");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].evidence[0].text.find("GPU 0 and 2 others"), std::string::npos)
      << found[0].evidence[0].text;
}

}  // namespace
}  // namespace gait::analyze

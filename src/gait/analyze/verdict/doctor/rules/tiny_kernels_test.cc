#include "gait/analyze/verdict/doctor/testing.h"
#include "gait/analyze/view/test_ops.h"

namespace gait::analyze {
namespace {

// 100 kernels a step that were launched in time, of 5 us, with gaps of `gap` us; their work needs 1 us at
// `bytes` 4.8e6.
std::vector<Finding> TinyKernels(int64_t gap, double bytes, int64_t count = 100) {
  ProgramMaker maker("jit_f");
  const InstructionIndex sine = maker.Add("sine.1", "sine", "jit(f)/sin");
  maker.SetCost(sine, 0, bytes);
  TestCapture capture;
  capture.programs.push_back(maker.Finish());
  int64_t correlation = 1;
  for (int64_t step = 0; step < 5; ++step) {
    const int64_t start = step * count * (5 + gap) * kMicro;
    capture.calls.push_back({start, start + 20 * kMicro, "train", -1, step});
    for (int64_t k = 0; k < count; ++k) {
      const int64_t at = start + ((5 + gap) * k + 100) * kMicro;
      const int64_t call = start + k * kMicro / 10;
      capture.calls.push_back({call + 1, call + 100, "cuLaunchKernel", correlation});
      capture.events.push_back({at, at + 5 * kMicro, "kernel", 0, sine, correlation++});
    }
  }
  const TestView view(std::move(capture));
  return FindingsOf(view.view, "tiny_kernels");
}

TEST(TinyKernelsRule, CostsTheGapsAndWhatKernelsRunAboveTheRoofline) {
  const auto both = TinyKernels(5, 4.8e6);
  ASSERT_EQ(both.size(), 1u);
  EXPECT_NEAR(both[0].cost->milliseconds(), 0.9, 0.02);
  EXPECT_NE(both[0].cause.find("longer than their work needs"), std::string::npos) << both[0].cause;
  const auto dense = TinyKernels(0, 4.8e6);  // without gaps
  ASSERT_EQ(dense.size(), 1u);
  EXPECT_NEAR(dense[0].cost->milliseconds(), 0.4, 0.02);
  EXPECT_EQ(TinyKernels(0, 9.6e6).size(), 1u);     // they reach 40 %
  EXPECT_TRUE(TinyKernels(0, 14.4e6).empty());     // 60 %
  EXPECT_TRUE(TinyKernels(0, 4.8e6, 15).empty());  // few
}

TEST(TinyKernelsRule, SpeaksOfGapsBetweenKernelsThatWereLaunchedInTime) {
  const auto loop = [](double duration) {
    GpuRun run;
    int64_t correlation = 1;
    for (int64_t i = 0; i < 4; ++i) {
      const double t = 10'000 * static_cast<double>(i);
      run.Step(i, t, 900);
      for (int k = 0; k < 200; ++k) {
        run.Host("python", t + k, 0.5, "cuLaunchKernel", correlation);
        run.Work(0, 7, t + 1000 + 30 * k, duration, "kernel", correlation++);
      }
    }
    return run;
  };
  GpuRun tiny = loop(19);  // of 30: gaps of 11 us
  EXPECT_EQ(FindingsOf(tiny.View(), "tiny_kernels").size(), 1u);
  GpuRun full = loop(29);
  EXPECT_TRUE(FindingsOf(full.View(), "tiny_kernels").empty());
}

}  // namespace
}  // namespace gait::analyze

#include <gtest/gtest.h>

#include "gait/analyze/view/test_gpu.h"
#include "gait/html_report/answers.h"
#include "gait/html_report/step_window.h"

namespace gait::html_report {
namespace {

TEST(Base64, IsWhatBrowsersRead) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("foob"), "Zm9vYg==");
  EXPECT_EQ(Base64(std::string_view("\xff\x00\xfe", 3)), "/wD+");
}

Ps Us(int64_t microseconds) { return Ps(microseconds * 1'000'000); }

// Seven steps of 100, the fifth of 150.
analyze::GpuRun Steps() {
  analyze::GpuRun run;
  int64_t at = 0;
  for (int64_t step = 0; step < 7; ++step) {
    const int64_t length = step == 4 ? 150 : 100;
    const auto begin = static_cast<double>(at);
    const auto duration = static_cast<double>(length);
    run.Step(step, begin, duration).Host("python", begin + 5, 5, "cuLaunchKernel", step + 1);
    run.Work(0, 14, begin + 20, duration - 30, "gemm", step + 1);
    at += length;
  }
  return run;
}

TEST(StepWindow, IsThreeStepsAroundATypicalOne) {
  analyze::GpuRun run = Steps();
  const analyze::RunView view = run.View();
  const timeline::Timeline timeline = timeline::Timeline::Make(*view.run);
  const Interval window = StepWindow(view, {}, timeline);
  EXPECT_GT(window.end - window.begin, Us(250));
  EXPECT_LE(window.end - window.begin, Us(300));
}

TEST(StepWindow, GoesWhereTheFirstFindingIs) {
  analyze::GpuRun run = Steps();
  const analyze::RunView view = run.View();
  const timeline::Timeline timeline = timeline::Timeline::Make(*view.run);
  analyze::Diagnosis diagnosis;
  analyze::Finding finding;
  finding.evidence = {{.text = "somewhere"},
                      {.text = "here", .host = "host0", .time = Interval{Us(450), Us(460)}}};
  diagnosis.findings = {finding};
  const Interval window = StepWindow(view, diagnosis, timeline);
  EXPECT_EQ(window.end - window.begin, Us(350));
  EXPECT_LE(window.begin, Us(450));
  EXPECT_GE(window.end, Us(460));
}

}  // namespace
}  // namespace gait::html_report

#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(UnexplainedIdleRule, TakesWhatNoOtherFindingClaims) {
  // Launched in time, but held: no rule is about that.
  const auto loop = [](double held) {
    GpuRun run;
    for (int64_t i = 0; i < 6; ++i) {
      const double t = 1000 * static_cast<double>(i);
      run.Step(i, t, 20);
      run.Host("python", t + 1, 5, "cuLaunchKernel", 100 + 2 * i)
          .Work(0, 7, t + 10, 300, "kernel", 100 + 2 * i);
      run.Host("python", t + 7, 5, "cuLaunchKernel", 101 + 2 * i);
      run.Work(0, 8, t + 310 + held, 700 - held, "other", 101 + 2 * i);
    }
    return run;
  };
  GpuRun held = loop(400);
  const Diagnosis diagnosis = DiagnosisOf(held.View());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].rule, "unexplained_idle");
  EXPECT_NEAR(CostMs(diagnosis.findings[0]), 0.4, 0.02);
  EXPECT_NE(diagnosis.findings[0].cause.find("held by a dependency"), std::string::npos);
  EXPECT_EQ(diagnosis.findings[0].see.value, "dependency");
  GpuRun short_gap = loop(50);
  EXPECT_TRUE(DiagnosisOf(short_gap.View()).findings.empty());
  // What a rule explains stays explained when it was not asked for.
  GpuRun input = TestLoop{}.Make();
  EXPECT_TRUE(DiagnosisOf(input.View(), {.only = {"unexplained_idle"}}).findings.size() <= 1);
  for (const Finding& finding : DiagnosisOf(input.View(), {.ignore = {"input"}}).findings)
    EXPECT_EQ(finding.cause.find("busy with input"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze

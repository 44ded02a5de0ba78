#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(BetweenStepsRule, SpeaksOfOwnCodeBetweenStepsOnly) {
  GpuRun run = TestLoop{.doing = "bookkeeping"}.Make();
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.7, 0.02);
  GpuRun hidden = Hidden("bookkeeping");
  EXPECT_TRUE(FindingsOf(hidden.View(), "between_steps").empty());
}

TEST(BetweenStepsRule, SaysHowToNameWhatTheHostDid) {
  const auto told = [](const char* doing) {
    GpuRun run = TestLoop{.doing = doing}.Make();
    const auto found = FindingsOf(run.View(), "between_steps");
    EXPECT_EQ(found.size(), 1u);
    return found.at(0).evidence.back().text.find("gait run --python") != std::string::npos;
  };
  EXPECT_TRUE(told(""));
  EXPECT_FALSE(told("bookkeeping"));
  EXPECT_FALSE(told("$train.py:7 log"));  // a frame of the Python tracer
}

TEST(BetweenStepsRule, SaysWhenOneStepHoldsMostOfIt) {
  GpuRun run;
  double t = 0;
  for (int64_t i = 0; i < 8; ++i) {
    const double before = i == 4 ? 3000 : 30;
    run.Step(i, t, before + 20).Host("python", t + 1, before, "bookkeeping");
    run.Host("python", t + before + 10, 5, "cuLaunchKernel", i).Work(0, 7, t + before + 16, 300, "k", i);
    t += before + 316;
  }
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("% of it is in step 4; the other 6 steps share the rest."), std::string::npos)
      << found[0].cause;
  GpuRun every = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_EQ(FindingsOf(every.View(), "between_steps")[0].cause.find("of it is in"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze

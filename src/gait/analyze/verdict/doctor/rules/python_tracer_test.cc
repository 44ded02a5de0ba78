#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(PythonTracerRule, SpeaksOfFramesInAHostBoundCaptureOnly) {
  GpuRun run = TestLoop{.doing = "$train.py:3 log"}.Make();
  const auto found = FindingsOf(run.View(), "python_tracer");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].cost.has_value());
  EXPECT_EQ(found[0].severity, Severity::kInfo);
  GpuRun hidden = Hidden("$train.py:3 log");
  EXPECT_TRUE(FindingsOf(hidden.View(), "python_tracer").empty());
  GpuRun untraced = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_TRUE(FindingsOf(untraced.View(), "python_tracer").empty());
}

TEST(PythonTracerRule, CountsNoSleep) {
  GpuRun run = TestLoop{
      .before = 800, .doing = "$train.py:3 log", .more = [](GpuRun& made, double t) {
        made.Host("python", t + 2, 790, "$time sleep");
      }}.Make();
  EXPECT_TRUE(FindingsOf(run.View(), "python_tracer").empty());
  // The line is the user's.
  const auto found = FindingsOf(run.View(), "between_steps");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("train.py:3 log → time sleep"), std::string::npos) << found[0].cause;
}

}  // namespace
}  // namespace gait::analyze

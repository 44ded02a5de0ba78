#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(NoStepsRule, SpeaksWhenNothingMarksSteps) {
  EXPECT_EQ(Found(MakeRun({}, true, false), "no_steps"), 1u);
  EXPECT_EQ(Found(MakeRun(), "no_steps"), 0u);
}

}  // namespace
}  // namespace gait::analyze

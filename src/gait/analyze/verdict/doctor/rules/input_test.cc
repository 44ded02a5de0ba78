#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(InputRule, SpeaksWhenTheDeviceWaitsForData) {
  GpuRun run = TestLoop{}.Make();
  const auto found = FindingsOf(run.View(), "input");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(CostMs(found[0]), 0.5, 0.02);
  EXPECT_EQ(found[0].severity, Severity::kHigh);
  EXPECT_NE(found[0].cause.find("data_loading"), std::string::npos);
  ASSERT_FALSE(found[0].evidence.empty());
  EXPECT_TRUE(found[0].evidence[0].time.has_value());
}

TEST(InputRule, IsSilentWhenLoadingIsHiddenOrWhenTheHostDoesSomethingElse) {
  GpuRun hidden = Hidden("data_loading");
  EXPECT_TRUE(FindingsOf(hidden.View(), "input").empty());
  GpuRun other = TestLoop{.doing = "bookkeeping"}.Make();
  EXPECT_TRUE(FindingsOf(other.View(), "input").empty());
}

}  // namespace
}  // namespace gait::analyze

#include "gait/analyze/run/test_trace.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(ProfilerErrorsRule, SpeaksOfCupti) {
  const auto run = MakeRun([](Maker& maker) {
    maker.builder().environment().errors = {"vm: Failed to load libcupti (is it installed and accessible?)"};
  });
  const auto found = FindingsOf(*RunView::Make(*run, {}), "profiler_errors");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "CUPTI is missing");
  const auto forbidden = MakeRun([](Maker& maker) {
    maker.builder().environment().errors = {
        "vm: Insufficient privilege to run libcupti (you need root permission)."};
  });
  const auto asks = FindingsOf(*RunView::Make(*forbidden, {}), "profiler_errors");
  ASSERT_EQ(asks.size(), 1u);
  EXPECT_NE(asks[0].fix.find("NVreg_RestrictProfilingToAdminUsers"), std::string::npos);
  EXPECT_EQ(Found(MakeRun(), "profiler_errors"), 0u);
}

}  // namespace
}  // namespace gait::analyze

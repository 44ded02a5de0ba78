#include "gait/analyze/verdict/doctor/rules/test_devices.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(StragglerRule, SpeaksOfTheDeviceThatIsLate) {
  const auto found = Found({.late = 200}, "straggler");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].cause.find("GPU 1"), std::string::npos);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.02);  // mean over both: one waits 0.2, the other not
  EXPECT_TRUE(Found({.late = 2}, "straggler").empty());
}

TEST(StragglerRule, NamesNoDeviceWhereTheyAreLateByTurns) {
  const auto found = Found({.late = 200, .turns = true}, "straggler");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].title, "Devices wait for each other");
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.02);
  EXPECT_TRUE(Found({.late = 2, .turns = true}, "straggler").empty());
}

TEST(StragglerRule, LeavesToOthersWhatTheyExplain) {
  EXPECT_TRUE(Found({.compute = 800, .extra = true}, "straggler").empty());  // load_imbalance
  EXPECT_TRUE(Found({.compute = 800}, "straggler").empty());                 // slow_device
  // Late by more than its work explains.
  const TestView view(Devices{.late = 200, .compute = 800, .extra = true}.Make());
  const Diagnosis diagnosis = DiagnosisOf(view.view, {.only = {"load_imbalance", "straggler"}});
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_NEAR(finding.cost->milliseconds(), 0.1, 0.01) << finding.rule;
    EXPECT_TRUE(finding.overlaps.empty()) << finding.rule;
  }
}

}  // namespace
}  // namespace gait::analyze

#include "gait/analyze/question/overview/overview_report.h"
#include "gait/analyze/verdict/doctor/rules/test_devices.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(ExposedCommunicationRule, SpeaksOfTimeThatNothingHides) {
  const auto found = Found({.exchange = 100}, "exposed_communication");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].cost->milliseconds(), 0.1, 0.01);
  EXPECT_TRUE(Found({.exchange = 10}, "exposed_communication").empty());
}

TEST(ExposedCommunicationRule, ClaimsTheExchangeAndNotTheWaiting) {
  const TestView view(Devices{.late = 200}.Make());
  const Diagnosis diagnosis = DiagnosisOf(view.view, {.only = {"exposed_communication", "straggler"}});
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  for (const Finding& finding : diagnosis.findings) {
    EXPECT_NEAR(finding.cost->milliseconds(), 0.1, 0.01) << finding.rule;
    EXPECT_TRUE(finding.overlaps.empty()) << finding.rule;
    if (finding.rule == "straggler") continue;
    EXPECT_EQ(finding.evidence.back().text, "not in it: 100 µs a step of waiting, mostly for GPU 1");
  }
  // Nearly all of it is waiting.
  EXPECT_TRUE(Found({.late = 200, .exchange = 10}, "exposed_communication").empty());
}

TEST(OverviewAnswer, TellsWaitingForADeviceFromCommunication) {
  const auto answer = [](const Devices& devices) {
    const TestView view(devices.Make());
    return OverviewDocument(view.view, *MakeOverview(view.view)).answer;
  };
  EXPECT_NE(answer({.late = 400}).find("hides, 200 µs of it waiting for GPU 1."), std::string::npos);
  EXPECT_NE(answer({.late = 400, .turns = true}).find("for the device that comes last."), std::string::npos);
  EXPECT_NE(answer({.exchange = 200}).find("communication that nothing hides."), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze

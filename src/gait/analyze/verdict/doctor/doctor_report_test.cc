#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(DoctorDocument, AHealthyCaptureSaysSo) {
  const auto run = MakeRun();
  const auto view = RunView::Make(*run, {});
  const Result<Patient> patient = Examine(*view);
  const Result<Diagnosis> diagnosis = Diagnose(*patient, {.ignore = {"no_steps"}});
  const report::Document document = DoctorDocument(*patient, *diagnosis, false);
  EXPECT_TRUE(diagnosis->findings.empty());
  EXPECT_NE(document.answer.find("Nothing that stands out"), std::string::npos);
}

}  // namespace
}  // namespace gait::analyze

#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/analyze/verdict/doctor/rules/test_runs.h"
#include "gait/analyze/verdict/doctor/testing.h"

namespace gait::analyze {
namespace {

TEST(DoctorDocument, OnlyAHealthyCaptureSaysSo) {
  const auto run = MakeRun();
  const auto view = RunView::Make(*run, {});
  const Result<Patient> patient = Examine(*view);
  Result<Diagnosis> diagnosis = Diagnose(*patient, {.ignore = {"no_steps"}});
  EXPECT_TRUE(diagnosis->findings.empty());
  const auto says = [&](const char* text) {
    return DoctorDocument(*patient, *diagnosis, false).answer.find(text) != std::string::npos;
  };
  // The work of its operations is not known.
  EXPECT_TRUE(says("is work that cannot be rated, device busy"));
  EXPECT_FALSE(says("Nothing that stands out"));
  auto& terms = diagnosis->balance.terms;
  std::swap(terms[static_cast<size_t>(BalanceTerm::kNecessary)],
            terms[static_cast<size_t>(BalanceTerm::kUnrated)]);
  EXPECT_TRUE(says("Nothing that stands out"));
  std::swap(terms[static_cast<size_t>(BalanceTerm::kNecessary)],
            terms[static_cast<size_t>(BalanceTerm::kInefficiency)]);
  EXPECT_TRUE(says("No rule says why"));
}

}  // namespace
}  // namespace gait::analyze

// Every allocation between a file and an answer is made to fail, one after the other: as on a machine without
// memory that is an error or std::bad_alloc, which the command and the server turn into one; the next
// question works.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "gait/analyze/doctor/diagnosis.h"
#include "gait/analyze/doctor/doctor_report.h"
#include "gait/analyze/question.h"
#include "gait/base/testing/failing_new.h"
#include "gait/open/load.h"
#include "gait/report/json.h"
#include "gait/report/output.h"
#include "gait/report/text.h"
#include "gait/runs/resolve.h"
#include "gait/share/html_report.h"

namespace gait::cli {
namespace {

Result<report::Document> DocumentOf(const analyze::LoadedRun& run, const std::string& verb) {
  GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(run, {}));
  if (verb != "doctor") return analyze::DocumentFor(view, {.verb = verb});
  GAIT_TRY(const analyze::Patient patient, analyze::Examine(view));
  GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
  return analyze::DoctorDocument(patient, diagnosis, false);
}

// From the file to what people read and what programs read.
Result<std::string> Ask(const std::string& verb) {
  GAIT_TRY(runs::ResolvedRun resolved, runs::ResolveRun(GAIT_TEST_DATA "/cpu/same_names.xplane.pb.gz"));
  GAIT_TRY(analyze::LoadedRun loaded, open::LoadRun(std::move(resolved.run), {.threads = 2}));
  const auto run = std::make_shared<const analyze::LoadedRun>(std::move(loaded));
  if (verb == "report") return share::HtmlReport(run);
  GAIT_TRY(const report::Document document, DocumentOf(*run, verb));
  report::Output out;
  report::WriteText(document, {}, out);
  report::WriteJson(document, out);
  return out.text();
}

class EveryAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryAllocation, Fails) {
  const std::string verb = GetParam();
  ASSERT_TRUE(Ask(verb));
  testing::FailAllocation(0);
  const Result<std::string> usual = Ask(verb);
  const int64_t all = testing::Allocations();
  ASSERT_TRUE(usual);
  // All of them with GAIT_ALLOCATIONS=0; as many as a moment allows otherwise.
  const char* const asked = std::getenv("GAIT_ALLOCATIONS");
  const int64_t most = asked == nullptr ? 50 : std::atoll(asked);
  const int64_t step = most == 0 ? 1 : std::max<int64_t>(1, all / most);
  int64_t failed = 0;
  for (int64_t call = 1; call <= all; call += step) {
    testing::FailAllocation(call);
    try {
      failed += Ask(verb) ? 0 : 1;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
  }
  testing::FailAllocation(0);
  EXPECT_GT(failed, 20);
  EXPECT_EQ(Ask(verb).value_or(""), *usual) << "nothing of a failure stays";
  RecordProperty("allocations", static_cast<int>(all));
  RecordProperty("failed", static_cast<int>(failed));
}

INSTANTIATE_TEST_SUITE_P(Verbs, EveryAllocation,
                         ::testing::Values("overview", "ops", "steps", "idle", "host", "path", "doctor",
                                           "memory", "kernels", "compile", "collectives", "transfers",
                                           "roofline", "report"),
                         [](const auto& verb) { return std::string(verb.param); });

}  // namespace
}  // namespace gait::cli

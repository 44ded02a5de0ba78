// Every allocation between a file and an answer is made to fail, one after the other: as on a machine without
// memory that is an error or std::bad_alloc, which the command and the server turn into one; the next
// question works.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/base/testing/failing_new.h"
#include "gait/html_report/html_report.h"
#include "gait/load/load.h"
#include "gait/report/json.h"
#include "gait/report/output.h"
#include "gait/report/text.h"
#include "gait/runs/resolve.h"
#include "gait/serve/routes.h"
#include "gait/serve/target.h"
#include "gait/verbs/question.h"

namespace gait::cli {
namespace {

Result<report::Document> DocumentOf(const analyze::LoadedRun& run, const std::string& verb) {
  GAIT_TRY(const analyze::RunView view, analyze::RunView::Make(run, {}));
  if (verb != "doctor") return verbs::Answer(view, {.verb = verb});
  GAIT_TRY(const analyze::Patient patient, analyze::Examine(view));
  GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
  return analyze::DoctorDocument(patient, diagnosis, false);
}

// From the file to what people read and what programs read.
Result<std::string> Ask(const std::string& verb) {
  GAIT_TRY(runs::ResolvedRun resolved, runs::ResolveRun(GAIT_TEST_DATA "/cpu/same_names.xplane.pb.gz"));
  GAIT_TRY(analyze::LoadedRun loaded, load::LoadRun(std::move(resolved.run), {.threads = 2}));
  const auto run = std::make_shared<const analyze::LoadedRun>(std::move(loaded));
  if (verb == "report") return html_report::HtmlReport(run);
  GAIT_TRY(const report::Document document, DocumentOf(*run, verb));
  report::Output out;
  report::WriteText(document, {}, out);
  report::WriteJson(document, out);
  return out.text();
}

// Asks with one allocation after the other failing: all of them with GAIT_ALLOCATIONS=0, as many as a moment
// allows otherwise. `ask` says whether it was answered, `after` looks at what is left behind.
template <typename Ask, typename After>
void FailEach(const Ask& ask, const After& after) {
  testing::FailAllocation(0);
  ASSERT_TRUE(ask());
  const int64_t all = testing::Allocations();
  after();
  const char* const asked = std::getenv("GAIT_ALLOCATIONS");
  const int64_t most = asked == nullptr ? 50 : std::atoll(asked);
  const int64_t step = most == 0 ? 1 : std::max<int64_t>(1, all / most);
  int64_t failed = 0;
  for (int64_t call = 1; call <= all; call += step) {
    testing::FailAllocation(call);
    try {
      failed += ask() ? 0 : 1;
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    testing::FailAllocation(0);
    after();
  }
  EXPECT_GT(failed, all / step / 4);
  ::testing::Test::RecordProperty("allocations", static_cast<int>(all));
  ::testing::Test::RecordProperty("failed", static_cast<int>(failed));
}

class EveryAllocation : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryAllocation, Fails) {
  const std::string verb = GetParam();
  const Result<std::string> usual = Ask(verb);
  ASSERT_TRUE(usual);
  FailEach([&] { return Ask(verb).has_value(); }, [] {});
  EXPECT_EQ(Ask(verb).value_or(""), *usual) << "nothing of a failure stays";
}

INSTANTIATE_TEST_SUITE_P(Verbs, EveryAllocation,
                         ::testing::Values("overview", "ops", "steps", "idle", "host", "path", "doctor",
                                           "memory", "kernels", "compile", "collectives", "transfers",
                                           "roofline", "report"),
                         [](const auto& verb) { return std::string(verb.param); });

// A server that has not read the run yet, asked about it.
class EveryAllocationOfAServer : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryAllocationOfAServer, Fails) {
  std::string body;
  const auto ask = [&](serve::Routes& routes) {
    const auto list = routes.directory().List();
    if (!list) return false;
    const std::string address = fmt::format(fmt::runtime(GetParam()), list->runs.at(0).id);
    const serve::Target target = serve::ParseTarget(address);
    const serve::Reply reply = routes({.path = target.path, .parameters = target.parameters});
    body = reply.body ? *reply.body : "";
    if (reply.stream) reply.stream([&](std::string_view piece) { return body += piece, true; });
    return reply.status == 200;
  };
  constexpr size_t kMemory = size_t{1} << 30;
  constexpr const char* kRun = GAIT_TEST_DATA "/cpu/same_names.xplane.pb.gz";
  serve::Routes first(kRun, kMemory);
  ASSERT_TRUE(ask(first)) << body;
  const std::string usual = body;
  std::optional<serve::Routes> routes;
  FailEach(
      [&] {
        routes.emplace(kRun, kMemory);
        return ask(*routes);
      },
      [&] {
        if (!routes) return;
        EXPECT_TRUE(ask(*routes)) << "the next request: " << body;
        EXPECT_EQ(body, usual);
        routes.reset();
      });
}

INSTANTIATE_TEST_SUITE_P(Routes, EveryAllocationOfAServer,
                         ::testing::Values("/api/runs/{}/tile?tracks=0,1,2m&level=20&first=0&buckets=800",
                                           "/api/runs/{}/area?from=0&to=5000000000&by=scope",
                                           "/api/runs/{}/search?q=dot&in=all&limit=5",
                                           "/api/runs/{}/overview", "/api/runs/{}/summary"));

}  // namespace
}  // namespace gait::cli

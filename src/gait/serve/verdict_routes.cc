// What the doctor says of a run, and what changed between two runs.
#include <fmt/format.h>

#include "gait/analyze/diff/diff_report.h"
#include "gait/analyze/doctor/diagnosis.h"
#include "gait/analyze/doctor/doctor_report.h"
#include "gait/analyze/doctor/kpi.h"
#include "gait/report/numbers.h"
#include "gait/serve/routes.h"
#include "gait/serve/verb_reply.h"

namespace gait::serve {
namespace {

Result<report::Document> Doctor(OpenRun& run, const Parameters& parameters) {
  GAIT_CHECK_OK(parameters.Allow(
      {"steps", "device", "host", "program", "kpi", "table", "top", "sort", "name", "explain", "format"}));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view, run.View(selection));
  GAIT_TRY(const analyze::Patient patient, analyze::Examine(*view));
  if (parameters.Text("kpi") == "1") return analyze::KpiDocument(patient);
  GAIT_TRY(const analyze::Diagnosis diagnosis, analyze::Diagnose(patient));
  return analyze::DoctorDocument(patient, diagnosis, true);
}

Result<report::Document> Diff(OpenRun& a, OpenRun& b, const Parameters& parameters) {
  GAIT_CHECK_OK(
      parameters.Allow({"with", "steps", "program", "table", "top", "sort", "name", "explain", "format"}));
  GAIT_TRY(const analyze::Selection selection, SelectionOf(parameters));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view_a, a.View(selection));
  GAIT_TRY(const std::shared_ptr<const analyze::RunView> view_b, b.View(selection));
  GAIT_TRY(const analyze::RunProfile profile_a, analyze::ProfileOf(*view_a));
  GAIT_TRY(const analyze::RunProfile profile_b, analyze::ProfileOf(*view_b));
  return analyze::DiffDocument(a.run(), b.run(), analyze::Compare(profile_a, profile_b));
}

Reply ReplyOf(Result<report::Document> document, const Parameters& parameters) {
  if (!document) return ErrorReply(document.error());
  return DocumentReply(std::move(*document), parameters);
}

}  // namespace

Reply DoctorReply(OpenRun& run, const Parameters& parameters) {
  return ReplyOf(Doctor(run, parameters), parameters);
}

Reply DiffReply(OpenRun& before, OpenRun& after, const Parameters& parameters) {
  return ReplyOf(Diff(before, after, parameters), parameters);
}

std::string Headline(const analyze::RunView& view) {
  const Result<analyze::Patient> patient = analyze::Examine(view);
  if (!patient) return {};
  const Result<analyze::Diagnosis> diagnosis = analyze::Diagnose(*patient);
  if (!diagnosis || diagnosis->findings.empty()) return {};
  const analyze::Finding& first = diagnosis->findings.front();
  if (!first.cost) return first.title;
  return fmt::format("{}: {} a step, {:.0f} %", first.title, report::TimeText(*first.cost),
                     100 * first.share);
}

}  // namespace gait::serve

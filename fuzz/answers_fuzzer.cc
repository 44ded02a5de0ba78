// An XPlane file with one thing wrong, through every analysis, the doctor and every renderer: must neither
// crash nor hang, and no answer has a time below zero.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gait/analyze/run/loaded_run.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/read/xplane/reader.h"
#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/report/markdown.h"
#include "gait/report/text.h"
#include "gait/verbs/question.h"
#include "wire_mutator.h"

namespace {

void Render(const gait::report::Document& document) {
  gait::report::Output out;
  gait::report::WriteText(document, {.width = 80}, out);
  gait::report::WriteJson(document, out);
  for (const gait::report::Table& table : document.tables) gait::report::WriteCsv(table, out);
  gait::report::MarkdownText(document, {});
}

void AskAll(const gait::analyze::LoadedRun& run) {
  const auto view = gait::analyze::RunView::Make(run, {});
  if (!view) return;
  for (const char* verb : {"overview", "steps", "ops", "idle", "host", "path", "kernels", "compile",
                           "collectives", "transfers", "memory", "roofline"}) {
    if (const auto document = gait::verbs::Answer(*view, {.verb = verb})) Render(*document);
  }
  const auto patient = gait::analyze::Examine(*view);
  if (!patient) return;
  if (const auto diagnosis = gait::analyze::Diagnose(*patient))
    Render(gait::analyze::DoctorDocument(*patient, *diagnosis, true));
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return gait::fuzz::MutateXSpace(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gait::xplane::ReadOptions options;
  options.threads = 1;
  auto trace = gait::xplane::ReadBytes(gait::Bytes(std::string(reinterpret_cast<const char*>(data), size)),
                                       "fuzz", options);
  if (!trace) return 0;
  gait::analyze::LoadedRun run;
  run.typed = "fuzz";
  run.hosts.push_back({"host", "fuzz", std::move(*trace)});
  AskAll(run);
  return 0;
}

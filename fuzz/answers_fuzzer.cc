// An XPlane file with one thing wrong, through every analysis, the doctor, a comparison with a capture that
// is whole, and every renderer: must neither crash nor hang, and no answer has a time below zero.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gait/analyze/inspect/dump.h"
#include "gait/analyze/inspect/hlo.h"
#include "gait/analyze/inspect/info.h"
#include "gait/analyze/verdict/diff/diff_report.h"
#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/verdict/doctor/doctor_report.h"
#include "gait/load/load.h"
#include "gait/report/csv.h"
#include "gait/report/json.h"
#include "gait/report/markdown.h"
#include "gait/report/text.h"
#include "gait/runs/resolve.h"
#include "gait/verbs/question.h"
#include "promise.h"
#include "run_of_bytes.h"
#include "wire_mutator.h"

namespace {

using gait::analyze::LoadedRun;
using gait::analyze::RunView;
using gait::report::Column;
using gait::report::Document;
using gait::report::Row;
using gait::report::Table;
using Run = std::shared_ptr<const LoadedRun>;

constexpr uint64_t kDumped = 200;
constexpr size_t kPrograms = 4;

// From one run to another a time may fall; `low` and `high` are the ends of the interval of such a
// difference.
bool IsDifference(std::string_view column) {
  return column == "delta" || column == "change" || column == "low" || column == "high";
}

void CheckTimes(const std::vector<Column>& columns, const Row& row) {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].unit != gait::report::unit::kPs || IsDifference(columns[c].name)) continue;
    if (row.at(c).number().value_or(0) >= 0) continue;
    std::fprintf(stderr, "%s\n", columns[c].name.c_str());
    gait::fuzz::Promise(false, "no answer has a time below zero");
  }
}

// Rows that are made while they are written are looked at on their way.
void CheckTimes(Table& table) {
  for (const Row& row : table.rows) CheckTimes(table.columns, row);
  if (!table.more) return;
  table.more = [columns = table.columns, more = std::move(table.more)](Row& row) {
    const bool one = more(row);
    if (one) CheckTimes(columns, row);
    return one;
  };
}

void Render(Document document) {
  for (Table& table : document.tables) CheckTimes(table);
  gait::report::Output out;
  gait::report::WriteJson(document, out);
  gait::report::WriteText(document, {.width = 80}, out);
  for (const Table& table : document.tables) gait::report::WriteCsv(table, out);
  gait::report::MarkdownText(document, {});
}

void Inspect(const Run& run) {
  Render(gait::analyze::InfoDocument(*run));
  if (auto events = gait::analyze::DumpDocument(run, {.limit = kDumped})) Render(std::move(*events));
  if (auto programs = gait::analyze::HloDocument(run)) Render(std::move(*programs));
  size_t asked = 0;
  for (const gait::Program& program : run->hosts[0].trace.programs()) {
    if (++asked > kPrograms) return;
    if (auto text = gait::analyze::HloDocument(run, program.name)) Render(std::move(*text));
    if (program.instructions.empty()) continue;
    const std::string last(program.text(program.instructions.back().name));
    if (auto one = gait::analyze::HloDocument(run, program.name, last)) Render(std::move(*one));
  }
}

void Answer(const RunView& view) {
  for (const char* verb : {"overview", "steps", "ops", "idle", "host", "path", "kernels", "compile",
                           "collectives", "transfers", "memory", "roofline"}) {
    if (auto document = gait::verbs::Answer(view, {.verb = verb})) Render(std::move(*document));
  }
  const auto patient = gait::analyze::Examine(view);
  if (!patient) return;
  if (const auto diagnosis = gait::analyze::Diagnose(*patient))
    Render(gait::analyze::DoctorDocument(*patient, *diagnosis, true));
}

// A capture that is whole.
const LoadedRun& Whole() {
  static const LoadedRun kRun = gait::load::LoadRun(gait::runs::ResolveRun(GAIT_FUZZ_RUN)->run, {}).value();
  return kRun;
}

void Compare(const LoadedRun& run, const RunView& view) {
  static const RunView kWholeView = RunView::Make(Whole(), {}).value();
  static const auto kWholeProfile = gait::analyze::ProfileOf(kWholeView).value();
  const auto profile = gait::analyze::ProfileOf(view);
  if (!profile) return;
  Render(DiffDocument(Whole(), run, gait::analyze::Compare(kWholeProfile, *profile)));
  Render(DiffDocument(run, Whole(), gait::analyze::Compare(*profile, kWholeProfile)));
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return gait::fuzz::MutateXSpace(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Run run = gait::fuzz::RunOfBytes(data, size);
  if (run == nullptr) return 0;
  Inspect(run);
  if (const auto view = RunView::Make(*run, {})) {
    Answer(*view);
    Compare(*run, *view);
  }
  return 0;
}

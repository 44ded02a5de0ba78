#include "gait/analyze/inspect/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/inspect/info_tables.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

std::string StepsText(const std::vector<AnnotatedSteps>& steps, const Missing& missing) {
  if (steps.empty()) return missing.any() ? "no step in the part that could be read" : "no step is annotated";
  std::vector<std::string> parts;
  for (const AnnotatedSteps& s : steps)
    parts.push_back(fmt::format("{} \"{}\"", report::Plural(s.count, s.blocks ? "block" : "step"), s.name));
  constexpr size_t kMost = 3;
  const size_t count = parts.size();
  if (count > kMost) {
    parts.resize(kMost);
    parts.push_back(fmt::format("{} more names", count - kMost));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

report::Document InfoDocument(const LoadedRun& run, bool verbose) {
  report::Document document = NewDocument("info", run);
  std::vector<std::vector<AnnotatedSteps>> steps;
  uint64_t events = 0;
  uint64_t tracks = 0;
  uint64_t unnumbered = 0;
  Ps longest;
  for (const LoadedHost& host : run.hosts) {
    steps.push_back(FindAnnotatedSteps(host.trace, &unnumbered));
    events += host.trace.event_count();
    tracks += host.trace.tracks().size();
    longest = std::max(longest, host.trace.span().length());
  }
  if (unnumbered > 0) {
    document.warnings.push_back(
        fmt::format("{} whose step_num is no integer: no steps", report::Plural(unnumbered, "annotation")));
  }
  const Missing missing = FindMissing(run);
  const std::string_view file = run.hosts.size() > 1 ? "A file" : "The file";
  if (missing.end) {
    document.answer = fmt::format("{} ends early: what was read is ", file);
  } else if (missing.parts) {
    document.answer = fmt::format("{} is damaged: what was read is ", file);
  }
  document.answer += fmt::format("{} on {} over {}{}; {}.", report::Plural(events, "event"),
                                 report::Plural(tracks, "track"), report::TimeText(longest),
                                 run.hosts.size() > 1 ? fmt::format(" of {} hosts", run.hosts.size()) : "",
                                 StepsText(steps.front(), missing));
  document.tables = TablesOf(HostsTable(run), DevicesTable(run), StepsTable(run, steps), ProgramsTable(run),
                             AttributionTable(run), TracksTable(run), CaptureTable(run));
  if (verbose) document.tables.push_back(UnknownEventsTable(run));
  document.main_table = "tracks";
  if (run.typed != "-") document.next = {Command("dump", run), Command("hlo", run)};
  return document;
}

}  // namespace gait::analyze

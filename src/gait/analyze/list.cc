#include "gait/analyze/list.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/describe.h"
#include "gait/analyze/tables.h"
#include "gait/report/numbers.h"
#include "gait/runs/peek.h"

namespace gait::analyze {
namespace {

std::string BesideText(const runs::Run& run) {
  std::map<std::string_view, size_t> counts;
  for (const runs::BesideFile& file : run.beside) ++counts[Name(file.kind)];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : counts) {
    parts.push_back(count == 1 ? std::string(kind) : fmt::format("{} {}", count, kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

report::Table RunsTable(const runs::Listing& listing) {
  const bool all_from_names = std::all_of(listing.runs.begin(), listing.runs.end(), [](const runs::Run& run) {
    return run.time_from == runs::TimeFrom::kName;
  });
  report::Table table{
      "runs",
      "@",
      {{"position", Type::kInteger, unit::kNone, {.identifier = true}},
       {"run", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}},
       {"time", Type::kText, unit::kNone, {.head = "when"}},
       {"time_from", Type::kText, unit::kNone, {.head = "from", .hidden = all_from_names, .optional = true}},
       {"devices", Type::kText},
       {"hosts", Type::kInteger},
       {"size", Type::kInteger, unit::kBytes},
       {"beside", Type::kText, unit::kNone, {.optional = true}},
       {"label", Type::kText, unit::kNone, {.hidden = true}},
       {"name", Type::kText, unit::kNone, {.hidden = true}},
       {"path", Type::kText, unit::kNone, {.hidden = true}}},
      {}};
  int64_t position = 0;
  for (const runs::Run& run : listing.runs) {
    const std::string devices = DevicesText(runs::PeekPlanes(run.hosts));
    table.rows.push_back(
        {++position, run.label, WallTime(run.time_s * 1'000'000'000), Name(run.time_from),
         devices == "?" ? report::Cell(report::Unknown{"no device and no host in the file"}) : devices,
         static_cast<int64_t>(run.hosts.size()), run.bytes(), BesideText(run), run.label, run.name,
         run.path});
  }
  return table;
}

}  // namespace

report::Document ListDocument(const runs::Listing& listing) {
  report::Document document;
  document.verb = "list";
  document.sources = {listing.directory};
  document.read_events = false;
  document.tables.push_back(RunsTable(listing));
  const size_t count = listing.runs.size();
  if (count == 1 && listing.runs[0].path == listing.directory) {
    document.answer = fmt::format("{} is one run.", listing.directory);
  } else {
    document.answer = fmt::format("{} below {}{}.", report::Plural(count, "run"), listing.directory,
                                  count > 1 ? ", newest first" : "");
  }
  document.notes = runs::SearchNotes(listing);
  const auto of_files = std::count_if(listing.runs.begin(), listing.runs.end(), [](const runs::Run& run) {
    return run.time_from == runs::TimeFrom::kFile;
  });
  if (of_files > 0) {
    document.notes.push_back(
        fmt::format("{} with the time of the file: neither its name nor the capture tells",
                    report::Plural(static_cast<uint64_t>(of_files), "run")));
  }
  if (!listing.runs.empty()) {
    document.next.push_back(fmt::format("gait info {}", listing.directory));
    if (listing.runs.size() > 1) document.next.push_back(fmt::format("gait info {}@2", listing.directory));
  }
  return document;
}

}  // namespace gait::analyze

#include "gait/analyze/inspect/list.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/read/format/format.h"
#include "gait/report/numbers.h"

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
  const bool one_host =
      std::ranges::all_of(listing.runs, [](const runs::Run& run) { return run.hosts.size() <= 1; });
  report::Table table{
      "runs",
      "@",
      {{"position", Type::kInteger, unit::kNone, {.identifier = true}, "DIR@2 is the second newest"},
       {"run", Type::kText, unit::kNone, {.elastic = true, .path = true}, "its folder below DIR"},
       WallTimeColumn("time", {.head = "when"},
                      "as its name says (when the capture ended), else when it began, else of the file"),
       {"time_from",
        Type::kText,
        unit::kNone,
        {.head = "from", .hidden = all_from_names, .wide = true},
        "which of these: name, capture or file"},
       {"devices", Type::kText, unit::kNone, {}, "devices in its files"},
       {"hosts", Type::kInteger, unit::kNone, {.hidden = one_host}, "files, one for each machine"},
       {"size", Type::kInteger, unit::kBytes, {}, "of these files"},
       {"beside", Type::kText, unit::kNone, {.wide = true}, "what else lies in its folder"},
       {"label", Type::kText, unit::kNone, {.hidden = true}, "run, whole"},
       {"name", Type::kText, unit::kNone, {.hidden = true}, "of its folder"},
       {"path", Type::kText, unit::kNone, {.hidden = true}, "of its folder"}},
      {}};
  auto position = static_cast<int64_t>(listing.first);
  for (const runs::Run& run : listing.runs) {
    const std::string devices = run.Peek().Devices();
    table.rows.push_back(
        {position++, run.label, WallTimeCell(run.time_s * 1'000'000'000, "not known"), Name(run.time_from),
         devices == "?" ? report::Cell(report::Unknown{"no device and no host in the file"}) : devices,
         static_cast<int64_t>(run.hosts.size()), run.bytes(), BesideText(run), run.label, run.name,
         run.path});
  }
  return table;
}

std::string LeftOverText(uint64_t files, uint64_t folders) {
  const std::string of_files = report::Plural(files, "unfinished file");
  const std::string of_folders = report::Plural(folders, "empty folder");
  if (folders == 0) return of_files;
  return files == 0 ? of_folders : of_files + " and " + of_folders;
}

// What a killed program did not finish.
void SayLeftOvers(const runs::Listing& listing, report::Document& document) {
  report::Table table{
      "left_over",
      "left over",
      {{"file",
        Type::kText,
        unit::kNone,
        {.elastic = true},
        "that a program began to write; with / at its end: a capture's empty folder"},
       WallTimeColumn("time", {.head = "when"}, "when it was last written to"),
       {"size", Type::kInteger, unit::kBytes, {}, "of it"},
       {"state",
        Type::kText,
        unit::kNone,
        {},
        "left over: its program is gone, or it is old; may be in use: its program may still run"}},
      {}};
  uint64_t files = 0;
  uint64_t folders = 0;
  for (const runs::PartialFile& file : listing.partial) {
    if (file.left_over) ++(file.folder ? folders : files);
    table.rows.push_back({file.folder ? file.path + "/" : file.path,
                          WallTimeCell(file.modified_ns, "not known"), file.size,
                          file.left_over ? "left over" : "may be in use"});
  }
  if (table.rows.empty()) return;
  document.tables.push_back(std::move(table));
  if (files + folders > 0) {
    document.notes.push_back(fmt::format("{} of programs that were killed; gait list --clean removes {}",
                                         LeftOverText(files, folders), files + folders == 1 ? "it" : "them"));
  }
}

}  // namespace

Result<report::Document> ListDocument(const runs::Listing& listing) {
  if (listing.runs.size() == 1 && listing.runs[0].path == listing.directory) {
    const read::Peeked peeked = listing.runs[0].Peek();
    if (!peeked.recognised && peeked.state == read::FileState::kDamaged) {
      return Unreadable(listing.directory + ": neither a directory nor a capture",
                        "gait info says what it looks like: gait info " + ShellWord(listing.directory));
    }
  }
  report::Document document;
  document.verb = "list";
  document.sources = {listing.directory};
  document.read_events = false;
  document.tables.push_back(RunsTable(listing));
  const size_t count = listing.runs.size();
  const bool one = listing.first > 1 || (count == 1 && listing.runs[0].path == listing.directory);
  if (one) {
    document.answer = fmt::format("{} is one run.", listing.directory);
  } else {
    document.answer = fmt::format("{} below {}{}.", report::Plural(count, "run"), listing.directory,
                                  count > 1 ? ", newest first" : "");
  }
  document.notes = runs::SearchNotes(listing);
  SayLeftOvers(listing, document);
  const auto of_files = std::count_if(listing.runs.begin(), listing.runs.end(), [](const runs::Run& run) {
    return run.time_from == runs::TimeFrom::kFile;
  });
  if (of_files > 0) {
    document.notes.push_back(
        fmt::format("{} with the time of the file: neither its name nor the capture tells",
                    report::Plural(static_cast<uint64_t>(of_files), "run")));
  }
  if (!listing.runs.empty()) {
    document.next.push_back("gait info " + ShellWord(listing.directory));
    if (listing.runs.size() > 1) document.next.push_back("gait info " + ShellWord(listing.directory + "@2"));
  }
  return document;
}

}  // namespace gait::analyze

#include "gait/analyze/inspect/list.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/read/format/format.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"

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
  TableOf<runs::Run> t({.name = "runs", .title = "@"});
  t.Add("position", {.identifier = true}, "DIR@2 is the second newest", [&](const runs::Run& run) {
    return static_cast<int64_t>(listing.first) + (&run - listing.runs.data());
  });
  t.Add("run", {.elastic = true, .path = true}, "its folder below DIR", &runs::Run::label);
  t.Add("time", unit::kUnixNs, {.head = "when"},
        "as its name says (when the capture ended), else when it began, else of the file",
        [](const runs::Run& run) { return WallTimeCell(run.time_s * 1'000'000'000, "not known"); });
  t.Add("time_from", {.head = "from", .hidden = all_from_names, .wide = true},
        "which of these: name, capture or file", [](const runs::Run& run) { return Name(run.time_from); });
  t.Add("devices", "devices in its files", [](const runs::Run& run) -> TextCell {
    std::string devices = run.Peek().Devices();
    if (devices == "?") return Unknown{"no device and no host in the file"};
    return devices;
  });
  t.Add("hosts", {.hidden = one_host}, "files, one for each machine",
        [](const runs::Run& run) { return run.hosts.size(); });
  t.Add("size", unit::kBytes, {}, "of these files", &runs::Run::bytes);
  t.Add("beside", {.wide = true}, "what else lies in its folder", BesideText);
  t.Hidden("label", "run, whole", &runs::Run::label);
  t.Hidden("name", "of its folder", &runs::Run::name);
  t.Hidden("path", "of its folder", &runs::Run::path);
  return t.Of(listing.runs);
}

std::string LeftOverText(uint64_t files, uint64_t folders) {
  const std::string of_files = report::Plural(files, "unfinished file");
  const std::string of_folders = report::Plural(folders, "empty folder");
  if (folders == 0) return of_files;
  return files == 0 ? of_folders : of_files + " and " + of_folders;
}

// What a killed program did not finish.
void SayLeftOvers(const runs::Listing& listing, report::Document& document) {
  if (listing.partial.empty()) return;
  using File = runs::PartialFile;
  TableOf<File> t({.name = "left_over", .title = "left over"});
  t.Add("folder", {.elastic = true, .path = true}, "the capture's, below DIR", [&](const File& file) {
    return runs::LabelOf(listing.directory, file.folder ? file.path : runs::DirectoryOf(file.path));
  });
  t.Add("file", "that a program began to write; unknown: the folder is empty",
        [](const File& file) -> TextCell {
          if (file.folder) return Unknown{"an empty folder"};
          return runs::BaseName(file.path);
        });
  t.Add("size", unit::kBytes, {}, "of it", &File::size);
  // Where all are left over, the title says it.
  const bool all_left = std::ranges::all_of(listing.partial, &File::left_over);
  t.Add("state", {.hidden = all_left},
        "left over: its program is gone, or it is old; may be in use: its program may still run",
        [](const File& file) { return file.left_over ? "left over" : "may be in use"; });
  t.Add("time", unit::kUnixNs, {.head = "when", .wide = true}, "when it was last written to",
        [](const File& file) { return WallTimeCell(file.modified_ns, "not known"); });
  t.Hidden("path", "the file, or the empty folder", &File::path);
  const auto count = [&](bool folder) {
    return static_cast<uint64_t>(std::ranges::count_if(
        listing.partial, [&](const File& file) { return file.left_over && file.folder == folder; }));
  };
  const uint64_t files = count(false);
  const uint64_t folders = count(true);
  document.tables.push_back(t.Of(listing.partial));
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

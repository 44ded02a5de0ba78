#include "gait/analyze/list.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/describe.h"
#include "gait/report/numbers.h"
#include "gait/runs/names.h"
#include "gait/runs/peek.h"

namespace gait::analyze {
namespace {

using report::Type;
namespace unit = report::unit;

std::string BesideText(const runs::Run& run) {
  std::map<std::string_view, size_t> counts;
  for (const runs::BesideFile& file : run.beside) ++counts[Name(file.kind)];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : counts) {
    parts.push_back(count == 1 ? std::string(kind) : fmt::format("{} {}", count, kind));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A folder name that is a time need not be shown beside that time.
std::string ShortLabel(const runs::Run& run) {
  const std::string_view above = runs::DirectoryOf(run.label);
  return run.time_from_name && above != "." ? std::string(above) : run.label;
}

report::Table RunsTable(const runs::Listing& listing) {
  report::Table table{"runs",
                      "@",
                      {{"position", Type::kInteger, unit::kNone, {.identifier = true}},
                       {"run", Type::kText, unit::kNone, {.elastic = true}},
                       {"time", Type::kText, unit::kNone, {.head = "when"}},
                       {"time_from", Type::kText, unit::kNone, {.hidden = true}},
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
    const std::string devices = DevicesText(runs::PeekPlanes(run.hosts.front().path));
    table.rows.push_back({++position, ShortLabel(run), WallTime(run.time_s * 1'000'000'000),
                          run.time_from_name ? "name" : "file",
                          devices == "?" ? report::Cell(report::Unknown{"compressed or damaged"}) : devices,
                          static_cast<int64_t>(run.hosts.size()), run.bytes(), BesideText(run), run.label,
                          run.name, run.path});
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
  document.answer = fmt::format("{} below {}{}.", report::Plural(listing.runs.size(), "run"),
                                listing.directory, listing.runs.size() > 1 ? ", newest first" : "");
  if (listing.unreadable > 0) {
    document.notes.push_back(fmt::format("{} without permission {} left out",
                                         report::Plural(listing.unreadable, "folder"),
                                         listing.unreadable == 1 ? "was" : "were"));
  }
  if (!listing.cut.empty()) document.notes.push_back("the search stopped early: " + listing.cut);
  if (!listing.runs.empty()) {
    document.next.push_back(fmt::format("gait info {}", listing.directory));
    if (listing.runs.size() > 1) document.next.push_back(fmt::format("gait info {}@2", listing.directory));
  }
  return document;
}

}  // namespace gait::analyze

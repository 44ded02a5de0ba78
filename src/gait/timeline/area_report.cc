#include <array>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/numbers.h"
#include "gait/timeline/area.h"

namespace gait::timeline {
namespace {

using report::Cell;
using report::Type;
namespace unit = report::unit;

report::Table RowsTable(const Area& area, const AreaQuery& query) {
  report::Table table{
      "area",
      "name",
      {{"name", Type::kText, unit::kNone, {.elastic = true}, "what the slices have in common"},
       {"count", Type::kInteger, unit::kNone, {}, "slices that reach into the selection"},
       {"total", Type::kInteger, unit::kPs, {}, "sum of their parts inside the selection"},
       {"self", Type::kInteger, unit::kPs, {}, "time in which no later slice of the same track runs"},
       {"share",
        Type::kNumber,
        unit::kPercent,
        {},
        "of all self time of devices, or of hosts, in the selection"},
       {"mean", Type::kInteger, unit::kPs, {}, "mean length of the whole slices"},
       {"p50", Type::kInteger, unit::kPs, {}, "half of the slices are no longer than this"},
       {"p99", Type::kInteger, unit::kPs, {}, "99 of 100 slices are no longer than this"},
       {"min", Type::kInteger, unit::kPs, {}, "the shortest slice"},
       {"max", Type::kInteger, unit::kPs, {}, "the longest slice"},
       {"category", Type::kText, unit::kNone, {}, "what the slices do"},
       {"scope", Type::kText, unit::kNone, {.hidden = true}, "of the operation, where they execute one"},
       {"on", Type::kText, unit::kNone, {}, "device or host: a kernel and its launch may have one name"},
       {"name_id", Type::kInteger, unit::kNone, {.hidden = true}, "of the name with the most self time"}},
      {}};
  // Apart: a CPU's operations are on its device and on the threads that ran them.
  std::array<Ps, 2> sums;  // of hosts, of devices
  for (const AreaRow& row : area.rows) sums[row.on_device ? 1 : 0] += row.self;
  for (const AreaRow& row : area.rows) {
    const Ps all = sums[row.on_device ? 1 : 0];
    const bool none = row.name.empty() && query.by != AreaBy::kName;
    const Cell share =
        all > Ps() ? Cell(100.0 * static_cast<double>(row.self.value()) / static_cast<double>(all.value()))
                   : Cell(report::Unknown{"the selection holds no time"});
    table.rows.push_back({none ? Cell(report::Unknown{"these execute no known operation"}) : Cell(row.name),
                          row.count, row.total, row.self, share, row.whole.mean, row.whole.p50, row.whole.p99,
                          row.whole.min, row.whole.max, row.category, row.scope,
                          row.on_device ? "device" : "host", static_cast<int64_t>(row.name_id)});
  }
  return table;
}

report::Table TimeTable(const Area& area) {
  report::Table table{
      "area_time",
      "device",
      {{"device", Type::kText},
       {"host", Type::kText},
       {"window", Type::kInteger, unit::kPs, {}, "the part of the selection in which the host was captured"},
       {"compute", Type::kInteger, unit::kPs},
       {"exposed_communication", Type::kInteger, unit::kPs, {}, "not under compute"},
       {"exposed_copies", Type::kInteger, unit::kPs, {}, "not under compute or communication"},
       {"unknown", Type::kInteger, unit::kPs, {}, "kernels that belong to no program"},
       {"idle", Type::kInteger, unit::kPs, {}, "no work of the device ran"},
       {"hidden_communication", Type::kInteger, unit::kPs, {}, "under compute; not part of the sum"},
       {"hidden_copies", Type::kInteger, unit::kPs, {}, "under other work; not part of the sum"}},
      {}};
  for (size_t c = 0; c < analyze::kIdleCauses; ++c) {
    const auto cause = static_cast<analyze::IdleCause>(c);
    table.columns.push_back(
        {fmt::format("idle_{}", Name(cause)), Type::kInteger, unit::kPs, {}, Describe(cause)});
  }
  for (const AreaDevice& device : area.devices) {
    const analyze::Partition& time = device.time;
    report::Row row = {device.device,
                       device.host,
                       time.window,
                       time.compute,
                       time.exposed_communication,
                       time.exposed_copies,
                       time.unknown,
                       time.idle,
                       time.hidden_communication,
                       time.hidden_copies};
    for (const Ps idle : device.idle) row.emplace_back(idle);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

report::Document AreaDocument(const Area& area, const AreaQuery& query, const analyze::LoadedRun& run) {
  report::Document document = analyze::NewDocument("area", run);
  uint64_t slices = 0;
  for (const AreaRow& row : area.rows) slices += row.count;
  document.answer =
      fmt::format("{} in {}", report::Plural(slices, "slice"), report::TimeText(query.window.length()));
  for (const AreaHost& host : area.partly) {
    document.answer += host.captured > Ps() ? fmt::format("; {} was captured in {} of it", host.host,
                                                          report::TimeText(host.captured))
                                            : fmt::format("; {} was not captured then", host.host);
  }
  document.answer += ".";
  document.tables.push_back(RowsTable(area, query));
  document.tables.push_back(TimeTable(area));
  return document;
}

}  // namespace gait::timeline

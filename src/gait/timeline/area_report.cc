#include <array>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/numbers.h"
#include "gait/report/table_of.h"
#include "gait/timeline/area.h"

namespace gait::timeline {
namespace {

report::Table RowsTable(const Area& area, const AreaQuery& query) {
  using R = AreaRow;
  // Apart: a CPU's operations are on its device and on the threads that ran them.
  std::array<Ps, 2> sums;  // of hosts, of devices
  for (const R& row : area.rows) sums[row.on_device ? 1 : 0] += row.self;
  report::TableOf<R> t({.name = "area", .title = "name"});
  t.Add("name", {.elastic = true}, "what the slices have in common", [&](const R& row) -> report::TextCell {
    if (row.name.empty() && query.by != AreaBy::kName)
      return report::Unknown{"these execute no known operation"};
    return row.name;
  });
  t.Add("count", "slices that reach into the selection", &R::count);
  t.Add("total", "sum of their parts inside the selection", &R::total);
  t.Add("self", "time in which no later slice of the same track runs", &R::self);
  t.Percent("share", "of all self time of devices, or of hosts, in the selection",
            [sums](const R& row) -> report::NumberCell {
              const Ps all = sums[row.on_device ? 1 : 0];
              if (all <= Ps()) return report::Unknown{"the selection holds no time"};
              return 100.0 * static_cast<double>(row.self.value()) / static_cast<double>(all.value());
            });
  t.Add("mean", "mean length of the whole slices", [](const R& row) { return row.whole.mean; });
  t.Add("p50", "half of the slices are no longer than this", [](const R& row) { return row.whole.p50; });
  t.Add("p99", "99 of 100 slices are no longer than this", [](const R& row) { return row.whole.p99; });
  t.Add("min", "the shortest slice", [](const R& row) { return row.whole.min; });
  t.Add("max", "the longest slice", [](const R& row) { return row.whole.max; });
  t.Add("category", "what the slices do", &R::category);
  t.Hidden("scope", "of the operation, where they execute one", &R::scope);
  t.Add("on", "device or host: a kernel and its launch may have one name",
        [](const R& row) { return row.on_device ? "device" : "host"; });
  t.Hidden("name_id", "of the name with the most self time", &R::name_id);
  return t.Of(area.rows);
}

report::Table TimeTable(const Area& area) {
  using Device = AreaDevice;
  report::TableOf<Device> t({.name = "area_time", .title = "device"});
  t.Add("device", "", &Device::device);
  t.Add("host", "", &Device::host);
  const auto part = [&t](const char* name, std::string_view about, Ps analyze::Partition::* member) {
    t.Add(name, about, [member](const Device& device) { return device.time.*member; });
  };
  using analyze::Partition;
  part("window", "the part of the selection in which the host was captured", &Partition::window);
  part("compute", "", &Partition::compute);
  part("exposed_communication", "not under compute", &Partition::exposed_communication);
  part("exposed_copies", "not under compute or communication", &Partition::exposed_copies);
  part("unknown", "kernels that belong to no program", &Partition::unknown);
  part("idle", "no work of the device ran", &Partition::idle);
  part("hidden_communication", "under compute; not part of the sum", &Partition::hidden_communication);
  part("hidden_copies", "under other work; not part of the sum", &Partition::hidden_copies);
  for (size_t c = 0; c < analyze::kIdleCauses; ++c) {
    const auto cause = static_cast<analyze::IdleCause>(c);
    t.Add(fmt::format("idle_{}", Name(cause)), Describe(cause),
          [c](const Device& device) { return device.idle[c]; });
  }
  return t.Of(area.devices);
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

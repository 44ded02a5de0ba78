#include "gait/analyze/question/steps/step_sample.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace gait::analyze {

Result<StepSample> StepSample::Of(const RunView& own) {
  StepSample made;
  GAIT_TRY(made.sample_, FindBlockSample(own, [&](const RunView& view) -> Result<void> {
             std::vector<Captured>& hosts = made.captures_.emplace_back();
             for (const HostView& host : view.hosts) {
               if (host.series.empty()) continue;
               const HostSteps steps = StepsOfHost(host, !view.selection.program.empty());
               Captured& captured =
                   hosts.emplace_back(host.host->name, host.series[0], TimesOf(steps, 0, 0), CountedTime());
               captured.time.Add(steps, 0);
             }
             return {};
           }));
  return made;
}

std::vector<const StepSeries*> StepSample::On(const std::string& host) const {
  std::vector<const StepSeries*> blocks;
  ForEachCounted([&](const Captured& captured) {
    if (captured.host == host) blocks.push_back(&captured.block);
  });
  return blocks;
}

std::vector<const StepSeries*> StepSample::Everywhere() const {
  std::vector<const StepSeries*> blocks;
  ForEachCounted([&](const Captured& captured) { blocks.push_back(&captured.block); });
  return blocks;
}

CountedTime StepSample::time() const {
  CountedTime sum;
  ForEachCounted([&](const Captured& captured) { sum += captured.time; });
  return sum;
}

Table StepSample::CapturesTable(bool one_host) const {
  struct OfCapture {
    const std::string& name;
    int64_t place;
    const Captured& captured;
    StepTimes times;
  };
  std::vector<OfCapture> rows;
  for (size_t i = 0; i < sample_.captures.size(); ++i) {
    for (const Captured& captured : captures_[i]) {
      OfCapture& row =
          rows.emplace_back(sample_.captures[i].name, static_cast<int64_t>(i), captured, captured.times);
      std::string& flags = row.times.flags;
      if (sample_.captures[i].counts) continue;
      flags = flags.empty() ? "warm-up" : "warm-up, " + flags;
      row.times.counts = false;
    }
  }
  TableOf<OfCapture> t({.name = "captures"});
  t.Add("capture", {.identifier = true}, "its folder, the oldest first",
        [](const OfCapture& row) { return row.name; });
  t.Add("host", HostShow(one_host), kAboutHost, [](const OfCapture& row) { return row.captured.host; });
  t.Hidden("series", "the block", [this](const OfCapture&) { return sample_.block; });
  t.Hidden("step", "its place among the captures", [](const OfCapture& row) { return row.place; });
  t.Include(
      StepColumns(std::ranges::any_of(rows, [](const OfCapture& row) { return !row.times.flags.empty(); })),
      [](const OfCapture& row) { return row.times; });
  Table table = t.Of(rows);
  HideZeros(table);
  // A block's step is about as long as the block: where a line is narrow, flags say more.
  table.columns[report::FindColumn(table, "host_time")].show.optional = true;
  return table;
}

}  // namespace gait::analyze

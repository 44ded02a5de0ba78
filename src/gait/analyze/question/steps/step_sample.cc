#include "gait/analyze/question/steps/step_sample.h"

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
               Captured& captured = hosts.emplace_back(host.host->name, host.series[0], Row(), CountedTime());
               AppendStep(captured.cells, steps, 0, 0);
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
  Table table =
      NewTable("captures", {TextColumn("capture", {.identifier = true}, "its folder, the oldest first"),
                            HostColumn(one_host), TextColumn("series", {.hidden = true}, "the block"),
                            HiddenColumn("step", Type::kInteger, "its place among the captures")});
  AddStepColumns(table);
  for (size_t i = 0; i < sample_.captures.size(); ++i) {
    for (const Captured& captured : captures_[i]) {
      Row row = {sample_.captures[i].name, captured.host, sample_.block, static_cast<int64_t>(i)};
      row.insert(row.end(), captured.cells.begin(), captured.cells.end());
      if (!sample_.captures[i].counts) {
        const std::string flags = row.back().text();
        row.back() = Cell(flags.empty() ? std::string("warm-up") : "warm-up, " + flags);
      }
      table.rows.push_back(std::move(row));
    }
  }
  FitStepColumns(table);
  return table;
}

}  // namespace gait::analyze

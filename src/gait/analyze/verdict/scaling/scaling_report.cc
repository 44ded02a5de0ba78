#include "gait/analyze/verdict/scaling/scaling_report.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

using report::Cell;
using report::Row;
using report::Table;
using report::TimeText;
using report::Type;
using report::Unknown;
namespace unit = report::unit;

constexpr const char* kOtherPortions = "some runs have steps, others have none";
constexpr const char* kSameDevices = "no run used another number of devices";
constexpr int64_t kFewestSteps = 3;      // below it one disturbed step decides
constexpr double kAsGoodAsIdeal = 1.02;  // efficiency that needs no explanation

// Why the runs have no speed-up; nothing where they have one.
std::optional<const char*> NotScaling(const std::vector<ScalingRow>& rows) {
  if (!Comparable(rows)) return kOtherPortions;
  if (rows.back().run->devices == rows.front().run->devices) return kSameDevices;
  return std::nullopt;
}

Cell Known(Cell cell, std::optional<const char*> why_not) {
  return why_not ? Cell(Unknown{*why_not}) : std::move(cell);
}

std::string Devices(int64_t count) { return report::Plural(static_cast<uint64_t>(count), "device"); }

report::Column Time(std::string name, std::string head, std::string_view about) {
  return {std::move(name), Type::kInteger, unit::kPs, {.head = std::move(head), .group = "time"}, about};
}

Cell StepsCell(const ScalingRun& run) {
  return run.steps > 0 ? Cell(run.steps) : Cell(Unknown{"no steps: the whole capture counts as one"});
}

Table ScalingTable(const std::vector<ScalingRow>& rows) {
  Table table;
  table.name = "scaling";
  table.columns = {
      {"devices", Type::kInteger, unit::kNone, {}, "that did anything"},
      {"run", Type::kText, unit::kNone, {.elastic = true, .keep_end = true}, "as typed"},
      {"steps", Type::kInteger, unit::kNone, {}, "complete ones that the times are the mean of"},
      Time("step", "", "mean over devices and complete steps; compilation is not in it"),
      {"noise",
       Type::kInteger,
       unit::kPs,
       {.head = "±", .group = "time"},
       "how far the mean may be off by chance: twice its standard error over the steps"},
      {"ideal", Type::kInteger, unit::kPs, {.group = "time", .wide = true}, "what the step should take"},
      {"speedup", Type::kNumber, unit::kNone, {.head = "speed-up"}, "against the smallest run"},
      {"efficiency", Type::kNumber, unit::kPercent, {}, "speed-up over the devices that were added"},
      Time("loss", "", "step - ideal"),
      {"ideal_speedup", Type::kNumber, unit::kNone, {.hidden = true}, "if nothing were lost"},
      {"warm_steps",
       Type::kInteger,
       unit::kNone,
       {.hidden = true},
       "of the steps: nothing was compiled in them"},
      {"warm_step", Type::kInteger, unit::kPs, {.hidden = true}, "mean of these"},
      {"warm_noise", Type::kInteger, unit::kPs, {.hidden = true}, "how far that may be off by chance"},
      {"isolated", Type::kText, unit::kNone, {.hidden = true}, "true, or what speaks against it"}};
  const auto base = static_cast<double>(std::max<int64_t>(1, rows[0].run->devices));
  const auto known = [why_not = NotScaling(rows)](Cell cell) { return Known(std::move(cell), why_not); };
  std::vector<std::string> names;
  for (const ScalingRow& row : rows) names.push_back(row.run->name);
  names = TellingNames(names);
  for (const ScalingRow& row : rows) {
    table.rows.push_back(
        {row.run->devices, Cell(row.run->name).ShownAs(names[table.rows.size()]), StepsCell(*row.run),
         row.run->step, row.run->noise ? Cell(*row.run->noise) : Cell(Unknown{"one step has no spread"}),
         known(row.ideal), known(Cell(row.speedup).ShownAs(fmt::format("{:.2f}", row.speedup))),
         known(100 * row.efficiency), known(row.loss), static_cast<double>(row.run->devices) / base,
         row.run->warm, row.run->warm_step ? Cell(*row.run->warm_step) : Cell(Unknown{"no step is warm"}),
         row.run->warm_noise ? Cell(*row.run->warm_noise) : Cell(Unknown{"fewer than two warm steps"}),
         row.run->verified() ? std::string("true") : row.run->NotIsolatedBecause()});
  }
  return table;
}

Table LossTable(const std::vector<ScalingRow>& rows) {
  Table table;
  table.name = "scaling_loss";
  table.columns = {{"devices", Type::kInteger, unit::kNone, {.head = "loss, devices"}, "that did anything"}};
  for (size_t p = 0; p < kScalingParts; ++p) {
    constexpr std::array<const char*, kScalingParts> kHeads = {"compute", "comm.", "waiting", "copies",
                                                               "idle"};
    const std::string head = kHeads[p];
    std::string name(Name(static_cast<ScalingPart>(p)));
    std::ranges::replace(name, ' ', '_');
    table.columns.push_back(Time(name, head, "of a step, beyond its part of the ideal; all sum to the loss"));
  }
  table.columns.push_back(Time("loss", "sum", "step - ideal"));
  const std::optional<const char*> why_not = NotScaling(rows);
  for (const ScalingRow& row : rows) {
    Row cells = {row.run->devices};
    for (const Ps part : row.parts) cells.push_back(Known(part, why_not));
    cells.push_back(Known(row.loss, why_not));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table CollectivesTable(const std::vector<ScalingRow>& rows) {
  Table table;
  table.name = "scaling_collectives";
  table.columns = {
      {"devices", Type::kInteger, unit::kNone, {.head = "devices"}, "that did anything"},
      {"kind", Type::kText, unit::kNone, {}, "of the collective"},
      Time("exposed", "exposed", "of a step, mean over devices: what no computation hides"),
      Time("wait", "waiting",
           "of a step, mean over devices: for the last to join; sums to the run's waiting"),
      Time("longest_wait", "longest wait", "of a step: largest less smallest exposed time over the devices")};
  for (const ScalingRow& row : rows) {
    for (const ScalingCollective& kind : row.run->kinds)
      table.rows.push_back({row.run->devices, kind.kind, kind.exposed, kind.wait, kind.longest_wait});
  }
  return table;
}

std::string Answer(const std::vector<ScalingRow>& rows) {
  const ScalingRow& last = rows.back();
  if (rows.size() == 1)
    return fmt::format("One run of {}: nothing to compare with.", Devices(last.run->devices));
  if (!Comparable(rows)) return fmt::format("Cannot be compared: {}.", kOtherPortions);
  if (last.run->devices == rows[0].run->devices) {
    return fmt::format("All {} used {}: that says nothing about how it scales.",
                       report::Plural(rows.size(), "run"), Devices(last.run->devices));
  }
  const auto worst = static_cast<size_t>(std::ranges::max_element(last.parts) - last.parts.begin());
  std::string text = fmt::format("{:.2f} times as fast on {} as on {}: efficiency {:.0f} %.", last.speedup,
                                 Devices(last.run->devices), rows[0].run->devices, 100 * last.efficiency);
  if (last.loss > Ps() && last.parts[worst] > Ps()) {
    text += fmt::format(" Most of the loss of {} a step is {} ({}).", TimeText(last.loss),
                        Name(static_cast<ScalingPart>(worst)), TimeText(last.parts[worst]));
  }
  return text;
}

}  // namespace

report::Document ScalingDocument(const std::vector<const LoadedRun*>& runs,
                                 const std::vector<ScalingRow>& rows, ScalingKind kind) {
  report::Document document = NewDocument("scale", *runs[0]);
  for (size_t i = 1; i < runs.size(); ++i) {
    const report::Document other = NewDocument("scale", *runs[i]);
    document.sources.push_back(other.sources[0]);
    document.losses.insert(document.losses.end(), other.losses.begin(), other.losses.end());
    document.warnings.insert(document.warnings.end(), other.warnings.begin(), other.warnings.end());
  }
  document.context = fmt::format("{}, {} scaling", report::Plural(runs.size(), "run"),
                                 kind == ScalingKind::kStrong ? "strong" : "weak");
  document.answer = Answer(rows);
  document.tables.push_back(ScalingTable(rows));
  document.tables.push_back(LossTable(rows));
  document.tables.push_back(CollectivesTable(rows));
  for (const ScalingRow& row : rows) {
    const ScalingRun& run = *row.run;
    if (run.steps == 0) {
      document.warnings.push_back(
          fmt::format("{}: no steps; its whole capture counts as one, mean over its devices", run.name));
    } else if (run.steps < kFewestSteps) {
      document.warnings.push_back(fmt::format("{}: the mean of {} only; capture more of them", run.name,
                                              report::Plural(static_cast<uint64_t>(run.steps), "step")));
    }
    if (const std::string why = run.NotIsolatedBecause(); !why.empty())
      document.warnings.push_back(fmt::format("{}: {}", run.name, why));
    if (run.compiles > 0) {
      document.warnings.push_back(fmt::format("{}: {} while steps ran: times include it", run.name,
                                              report::Plural(run.compiles, "compilation")));
    }
  }
  const bool beyond = !NotScaling(rows) && std::ranges::any_of(rows, [](const ScalingRow& row) {
    return row.efficiency > kAsGoodAsIdeal;
  });
  if (beyond) {
    document.notes.emplace_back(
        "an efficiency above 100 %: the part of one device fits its caches, or the smallest run was "
        "disturbed");
  }
  document.next = {Command("collectives", *runs.back())};
  return document;
}

}  // namespace gait::analyze

#include "gait/analyze/verdict/scaling/scaling_report.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

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

std::string Devices(int64_t count) { return report::Plural(static_cast<uint64_t>(count), "device"); }

// The getter of what only runs that scale have.
template <typename Getter>
auto IfScaling(std::optional<const char*> why_not, Getter get) {
  return [why_not, get](const ScalingRow& row) {
    using T = std::remove_cvref_t<std::invoke_result_t<Getter, const ScalingRow&>>;
    return why_not ? CellOf<T>(Unknown{*why_not}) : CellOf<T>(std::invoke(get, row));
  };
}

constexpr const char* kAboutDevices = "that did anything";

Table ScalingTable(const std::vector<ScalingRow>& rows) {
  using R = ScalingRow;
  const auto base = static_cast<double>(std::max<int64_t>(1, rows[0].run->devices));
  const auto why_not = NotScaling(rows);
  std::vector<std::string> names;
  for (const R& row : rows) names.push_back(row.run->name);
  names = TellingNames(names);
  TableOf<R> t({.name = "scaling"});
  t.Add("devices", kAboutDevices, [](const R& row) { return row.run->devices; });
  t.Add("run", {.elastic = true, .keep_end = true}, "as typed", [&](const R& row) {
    return TextCell(row.run->name).ShownAs(names[static_cast<size_t>(&row - rows.data())]);
  });
  t.Add("steps", "complete ones that the times are the mean of", [](const R& row) -> CellOf<int64_t> {
    if (row.run->steps == 0) return Unknown{"no steps: the whole capture counts as one"};
    return row.run->steps;
  });
  t.Time("step", "mean over devices and complete steps; compilation is not in it",
         [](const R& row) { return row.run->step; });
  t.Time("noise", {.head = "±"},
         "how far the mean may be off by chance: twice its standard error over the steps",
         [](const R& row) { return OrUnknown(row.run->noise, "one step has no spread"); });
  t.Time("ideal", {.wide = true}, "what the step should take", IfScaling(why_not, &R::ideal));
  t.Add("speedup", {.head = "speed-up"}, "against the smallest run", [=](const R& row) -> NumberCell {
    if (why_not) return Unknown{*why_not};
    return NumberCell(row.speedup).ShownAs(fmt::format("{:.2f}", row.speedup));
  });
  t.Percent("efficiency", "speed-up over the devices that were added",
            IfScaling(why_not, [](const R& row) { return 100 * row.efficiency; }));
  t.Time("loss", "step - ideal", IfScaling(why_not, &R::loss));
  t.Hidden("ideal_speedup", "if nothing were lost",
           [base](const R& row) { return static_cast<double>(row.run->devices) / base; });
  t.Hidden("warm_steps", "of the steps: nothing was compiled in them",
           [](const R& row) { return row.run->warm; });
  t.Hidden("warm_step", "mean of these",
           [](const R& row) { return OrUnknown(row.run->warm_step, "no step is warm"); });
  t.Hidden("warm_noise", "how far that may be off by chance",
           [](const R& row) { return OrUnknown(row.run->warm_noise, "fewer than two warm steps"); });
  t.Hidden("isolated", "true, or what speaks against it", [](const R& row) {
    return row.run->verified() ? std::string("true") : row.run->NotIsolatedBecause();
  });
  return t.Of(rows);
}

Table LossTable(const std::vector<ScalingRow>& rows) {
  const auto why_not = NotScaling(rows);
  TableOf<ScalingRow> t({.name = "scaling_loss"});
  t.Add("devices", {.head = "loss, devices"}, kAboutDevices,
        [](const ScalingRow& row) { return row.run->devices; });
  for (size_t p = 0; p < kScalingParts; ++p) {
    constexpr std::array<const char*, kScalingParts> kHeads = {"compute", "comm.", "waiting", "copies",
                                                               "idle"};
    std::string name(Name(static_cast<ScalingPart>(p)));
    std::ranges::replace(name, ' ', '_');
    t.Time(name, {.head = kHeads[p]}, "of a step, beyond its part of the ideal; all sum to the loss",
           IfScaling(why_not, [p](const ScalingRow& row) { return row.parts[p]; }));
  }
  t.Time("loss", {.head = "sum"}, "step - ideal", IfScaling(why_not, &ScalingRow::loss));
  return t.Of(rows);
}

Table CollectivesTable(const std::vector<ScalingRow>& rows) {
  const ScalingRow* of = nullptr;  // the row of the kind
  TableOf<ScalingCollective> t({.name = "scaling_collectives"});
  t.Add("devices", kAboutDevices, [&](const ScalingCollective&) { return of->run->devices; });
  t.Add("kind", "of the collective", &ScalingCollective::kind);
  t.Time("exposed", "of a step, mean over devices: what no computation hides", &ScalingCollective::exposed);
  t.Time("wait", {.head = "waiting"},
         "of a step, mean over devices: for the last to join; sums to the run's waiting",
         &ScalingCollective::wait);
  t.Time("longest_wait", {.head = "longest wait"},
         "of a step: largest less smallest exposed time over the devices", &ScalingCollective::longest_wait);
  for (const ScalingRow& row : rows) {
    of = &row;
    t.Rows(row.run->kinds);
  }
  return t.Done();
}

std::string Unlike(const std::vector<ScalingRow>& rows) {
  std::vector<WhatRan> runs;
  for (const ScalingRow& row : rows) runs.push_back(row.run->ran);
  return UnlikeSentence(runs);
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
  document.answer = Unlike(rows) + Answer(rows);
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

#include "gait/analyze/question/steps/steps_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gait/analyze/question/steps/step_parts.h"
#include "gait/analyze/question/steps/step_sample.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextSteps = 40;
constexpr std::string_view kAboutHost = "the machine, or one of its processes";
constexpr std::string_view kAboutSeries = "the annotation's name; where there is none, the program's";

std::vector<Column> Keys(bool one_host, bool one_series) {
  return {{"host", Type::kText, unit::kNone, {.hidden = one_host, .elastic = true}, kAboutHost},
          {"series", Type::kText, unit::kNone, {.hidden = one_series, .elastic = true}, kAboutSeries},
          {"step", Type::kInteger, unit::kNone, {.identifier = true}, "its number in the annotation"}};
}

Table StepsTable(const std::vector<HostSteps>& hosts, bool one_series, bool outside) {
  Table table = NewTable("steps", Keys(hosts.size() == 1, one_series));
  AddStepColumns(table);
  table.text_rows = kTextSteps;
  table.if_empty = outside
                       ? "the selected program ran in no step"
                       : "no steps: no event has a step_num, and programs run in no period that was found";
  for (const HostSteps& host : hosts) {
    for (size_t s = 0; s < host.series().size(); ++s) {
      for (size_t i = 0; i < host.series()[s].steps.size(); ++i) {
        const Step& step = host.series()[s].steps[i];
        Row row = {host.host(), host.series()[s].name, step.number};
        AppendStep(row, host, s, i);
        table.rows.push_back(std::move(row));
      }
    }
  }
  FitStepColumns(table);
  return table;
}

Table DevicesTable(const std::vector<HostSteps>& hosts, bool one_series) {
  Table table = NewTable("step_devices", Keys(hosts.size() == 1, one_series));
  table.hidden = true;
  table.columns.push_back({"device", Type::kText, unit::kNone, {}, "the device"});
  table.columns.push_back({"begin", Type::kInteger, unit::kPs, {}, "when the step began on the device"});
  table.columns.push_back({"step_time",
                           Type::kInteger,
                           unit::kPs,
                           {.head = "step", .group = "time"},
                           "from the finish of the step before to its own"});
  for (Column& column : PartColumns()) table.columns.push_back(std::move(column));
  table.columns.push_back({"events", Type::kInteger, unit::kNone, {}, "pieces of work launched"});
  for (const HostSteps& host : hosts) {
    for (size_t s = 0; s < host.series().size(); ++s) {
      for (size_t i = 0; i < host.series()[s].steps.size(); ++i) {
        const Step& step = host.series()[s].steps[i];
        for (size_t d = 0; d < host.view->devices.size(); ++d) {
          if (!step.takes_part(d)) continue;
          Row row = {host.host(),        host.series()[s].name,     step.number, host.view->devices[d].name,
                     step.time[d].begin, host.parts[s][i][d].window};
          AppendParts(row, host.parts[s][i][d]);
          row.emplace_back(step.events[d]);
          table.rows.push_back(std::move(row));
        }
      }
    }
  }
  return table;
}

Cell LoopCell(const StepSeries& series) {
  if (!series.has_work()) return Unknown{kNoWork};
  if (series.waits) return "waits";
  switch (series.loop) {
    case analyze::Loop::kUnknown:
      return Unknown{"the capture does not hold the host's launches"};
    case analyze::Loop::kInline:
      return "inline";
    case analyze::Loop::kHostLate:
      return "late";
    case analyze::Loop::kHostBound:
      return "host-bound";
    case analyze::Loop::kAsynchronous:
      break;
  }
  return "asynchronous";
}

bool AnyInferred(const std::vector<HostSteps>& hosts) {
  return std::ranges::any_of(
      hosts, [](const HostSteps& host) { return std::ranges::any_of(host.series(), &StepSeries::inferred); });
}

// The steps that the numbers of a series are of: its own, or those of all captures of its block.
std::vector<const StepSeries*> Series(const HostSteps& host, size_t series, const StepSample& sample) {
  std::vector<const StepSeries*> all =
      series == 0 ? sample.On(host.host()) : std::vector<const StepSeries*>();
  if (all.empty()) all.push_back(&host.series()[series]);
  return all;
}

Table TimesTable(const std::vector<HostSteps>& hosts, const StepSample& sample) {
  Table table = NewTable(
      "step_times",
      {{"host", Type::kText, unit::kNone, {.hidden = hosts.size() == 1}, kAboutHost},
       {"series", Type::kText, unit::kNone, {.elastic = true}, kAboutSeries},
       {"inferred", Type::kText, unit::kNone, {.hidden = !AnyInferred(hosts)}, "how the steps were found"},
       {"loop",
        Type::kText,
        unit::kNone,
        {.optional = true},
        "whether the host waits for the results of most steps"},
       {"waited", Type::kInteger, unit::kNone, {.hidden = true}, "steps whose result the host waited for"},
       {"steps", Type::kInteger, unit::kNone, {}, "complete steps, which all numbers here are of"}});
  const auto time = [&](std::string name, std::string_view about, bool optional = false) {
    table.columns.push_back(
        {std::move(name), Type::kInteger, unit::kPs, {.group = "time", .optional = optional}, about});
  };
  time("mean", "mean step");
  time("median", "half of the steps are faster");
  time("p90", "nine of ten steps are faster");
  time("p99", "99 of 100 steps are faster");
  time("min", "the fastest step", true);
  time("max", "the slowest step", true);
  // Much smaller: in a unit of its own.
  table.columns.push_back({"sigma", Type::kInteger, unit::kPs, {}, "standard deviation"});
  table.columns.push_back(
      {"cv", Type::kNumber, unit::kPercent, {}, "standard deviation as a share of the mean"});
  for (const HostSteps& host : hosts) {
    for (size_t index = 0; index < host.series().size(); ++index) {
      const StepSeries& series = host.series()[index];
      if (series.steps.empty()) continue;
      const std::vector<const StepSeries*> of = Series(host, index, sample);
      uint64_t waited = 0;
      for (const StepSeries* one : of)
        waited += static_cast<uint64_t>(std::ranges::count_if(one->steps, &Step::waited));
      Row row = {host.host(), series.name,
                 series.inferred() ? "inferred"
                 : series.blocks() ? "block"
                                   : "annotated",
                 LoopCell(series), waited};
      if (!host.knows(series)) {
        row.emplace_back(uint64_t{0});
        row.resize(table.columns.size(), Unknown{kNoWork});
        table.rows.push_back(std::move(row));
        continue;
      }
      const StepStatistics s(of);
      const Unknown one{"one step has no spread"};
      for (Cell cell :
           std::initializer_list<Cell>{static_cast<uint64_t>(s.sorted.size()), Ps(std::llround(s.mean())),
                                       s.median(), s.at(0.9), s.at(0.99), s.sorted.front(), s.sorted.back(),
                                       s.sorted.size() < 2 ? Cell(one) : Cell(Ps(std::llround(s.sigma()))),
                                       s.sorted.size() < 2 ? Cell(one)
                                       : s.mean() > 0      ? Cell(100 * s.sigma() / s.mean())
                                                           : Cell(Unknown{"steps take no time"})})
        row.push_back(std::move(cell));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// Of the main steps of the first host that has any, on all hosts.
std::string Answer(const std::vector<HostSteps>& hosts, bool outside, const StepSample& sample) {
  if (outside) return "The selected program ran in no step.";
  const auto found = std::ranges::find_if(hosts, [](const HostSteps& h) { return !h.series().empty(); });
  if (found == hosts.end() || found->series()[0].steps.empty()) return "No steps in this capture.";
  const StepSeries& series = found->series()[0];
  if (!found->knows(series)) {
    return fmt::format(
        "{} of {}, but no device work in this capture belongs to one: how long a step took is not known.",
        report::Plural(series.steps.size(), "annotation"), series.name);
  }
  std::vector<const StepSeries*> everywhere;
  CountedTime time;
  for (const HostSteps& host : hosts) {
    const auto same = std::ranges::find(host.series(), series.name, &StepSeries::name);
    if (same == host.series().end()) continue;
    everywhere.push_back(&*same);
    time.Add(host, static_cast<size_t>(same - host.series().begin()));
  }
  const std::string on = everywhere.size() > 1 ? fmt::format(" on {} hosts", everywhere.size()) : "";
  if (!sample.empty()) {
    everywhere = sample.Everywhere();
    time = sample.time();
  }
  const StepStatistics s(everywhere);
  const std::string of =
      fmt::format("of {}{}{}{}", s.sorted.size(), sample.empty() ? "" : " in a capture each", on,
                  s.complete ? "" : ", none of them complete");
  std::string text = fmt::format("{} {} (median {})", report::TimeText(s.median()), found->view->AStep(), of);
  if (found->of_program && time.device_steps > 0) {
    text = fmt::format("{} of a step of {} (means {})", report::TimeText(time.window / time.device_steps),
                       report::TimeText(Ps(std::llround(s.mean()))), of);
  }
  if (!series.has_work()) return text + " on the host; no device work in this capture belongs to a step.";
  if (time.window > Ps())
    text += fmt::format(", device busy {:.1f} %", Percent(time.window - time.idle, time.window));
  if (series.inferred()) {
    text += fmt::format("; inferred: a step {} {}",
                        series.launches > 1 ? fmt::format("is {} launches from", series.launches)
                                            : std::string("is a launch of"),
                        series.name);
  }
  return text + "; " + series.LoopText() + ".";
}

}  // namespace

report::Document StepsDocument(const RunView& view) {
  report::Document document = NewDocument("steps", *view.run);
  std::vector<HostSteps> hosts;
  const bool of_program = !view.selection.program.empty();
  for (const HostView& host : view.hosts) hosts.push_back(StepsOfHost(host, of_program));
  const bool one_series =
      std::ranges::all_of(hosts, [](const HostSteps& h) { return h.series().size() <= 1; });
  const bool outside = std::ranges::any_of(view.hosts, &HostView::outside_steps);
  Result<StepSample> found = StepSample::Of(view);
  const StepSample sample = found ? std::move(*found) : StepSample();
  document.answer = Answer(hosts, outside, sample);
  document.tables = TablesOf(StepsTable(hosts, one_series, outside), TimesTable(hosts, sample),
                             DevicesTable(hosts, one_series));
  document.main_table = "steps";
  if (!sample.empty()) {
    document.tables.insert(document.tables.begin(), sample.CapturesTable(hosts.size() == 1));
    document.tables[1].hidden = one_series;  // the step of this capture is a row among them
    document.main_table = "captures";
    document.notes.push_back(sample.Note(*view.run));
  }
  if (!found) document.notes.push_back("captures beside this one: " + found.error().what);
  const auto any = [&](bool (Step::*flag)() const) {
    return std::ranges::any_of(hosts, [&](const HostSteps& h) {
      return std::ranges::any_of(h.series(),
                                 [&](const StepSeries& s) { return std::ranges::any_of(s.steps, flag); });
    });
  };
  if (any(&Step::begin_unknown)) {
    document.notes.emplace_back(
        fmt::format("first: no earlier step finished in the capture, so it counts from its {} and stays out "
                    "of the statistics",
                    AnyInferred(hosts) ? "launch" : "annotation"));
  }
  if (any(&Step::partial)) {
    document.notes.emplace_back(
        "partial: the capture does not hold all of its work, so it stays out of the statistics");
  }
  if (any(&Step::no_work)) {
    document.notes.emplace_back(
        "no work: devices did nothing for it; the step after it counts from the finish of the one before it");
  }
  const auto say_once = [&](const std::string& note) {
    const bool said = std::ranges::find(document.notes, note) != document.notes.end();
    if (!note.empty() && !said) document.notes.push_back(note);
  };
  for (const HostSteps& host : hosts) {
    for (const StepSeries& series : host.series()) say_once(series.note);
    if (!of_program) say_once(host.view->OutsideNote());
    if (!of_program) say_once(host.view->OthersNote());
  }
  if (of_program) {
    document.notes.emplace_back(
        "of each step only the time in which the selected program was at work; step_times are of whole "
        "steps");
  }
  if (view.run->typed != "-") document.next = {Command("overview", *view.run), Command("idle", *view.run)};
  return document;
}

}  // namespace gait::analyze

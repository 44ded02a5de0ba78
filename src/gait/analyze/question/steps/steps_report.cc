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
constexpr std::string_view kAboutMachine = "the machine, or one of its processes";
constexpr std::string_view kAboutSeries = "the annotation's name; where there is none, the program's";
constexpr const char* kOneStep = "one step has no spread";

// A step of a host, on one of its devices or on all.
struct OfHost {
  const HostSteps& host;
  const StepSeries& series;
  const Step& step;
  const std::vector<Partition>& parts;  // by device
  size_t device = 0;
  StepTimes times{};
};

TableOf<OfHost> StepsOf(Table table, bool one_host, bool one_series) {
  TableOf<OfHost> t(std::move(table));
  t.Add("host", HostShow(one_host), kAboutMachine, [](const OfHost& o) { return o.host.host(); });
  t.Add("series", {.hidden = one_series, .elastic = true}, kAboutSeries,
        [](const OfHost& o) { return o.series.name; });
  t.Add("step", {.identifier = true}, "its number in the annotation",
        [](const OfHost& o) { return o.step.number; });
  return t;
}

// Calls add(OfHost) for each step of each series.
template <typename Add>
void ForEachStep(const std::vector<HostSteps>& hosts, Add add) {
  for (const HostSteps& host : hosts) {
    for (size_t s = 0; s < host.series().size(); ++s) {
      const StepSeries& series = host.series()[s];
      for (size_t i = 0; i < series.steps.size(); ++i)
        add(OfHost{host, series, series.steps[i], host.parts[s][i], 0, TimesOf(host, s, i)});
    }
  }
}

// A capture of one device has no communication: a column of zeros says nothing as text.
void HideZeros(Table& table) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].show.optional || table.columns[c].unit != unit::kPs) continue;
    table.columns[c].show.hidden |=
        std::ranges::all_of(table.rows, [&](const Row& row) { return row[c].number().value_or(0) == 0.0; });
  }
}

Table StepsTable(const std::vector<HostSteps>& hosts, bool one_series, bool outside) {
  bool flags = false;
  std::vector<OfHost> rows;
  ForEachStep(hosts, [&](const OfHost& o) {
    flags |= !o.times.flags.empty();
    rows.push_back(o);
  });
  TableOf<OfHost> t = StepsOf(
      {.name = "steps",
       .if_empty = outside
                       ? "the selected program ran in no step"
                       : "no steps: no event has a step_num, and programs run in no period that was found",
       .text_rows = kTextSteps},
      hosts.size() == 1, one_series);
  t.Include(StepColumns(flags), &OfHost::times);
  Table table = t.Of(rows);
  HideZeros(table);
  return table;
}

Table DevicesTable(const std::vector<HostSteps>& hosts, bool one_series) {
  TableOf<OfHost> t = StepsOf({.name = "step_devices", .hidden = true}, hosts.size() == 1, one_series);
  t.Add("device", "the device", [](const OfHost& o) { return o.host.view->devices[o.device].name; });
  t.Add("begin", "when the step began on the device",
        [](const OfHost& o) { return o.step.time[o.device].begin; });
  t.Time("step_time", {.head = "step"}, "from the finish of the step before to its own",
         [](const OfHost& o) { return o.parts[o.device].window; });
  t.Include(PartColumns(), [](const OfHost& o) { return std::optional(o.parts[o.device]); });
  t.Add("events", "pieces of work launched", [](const OfHost& o) { return o.step.events[o.device]; });
  ForEachStep(hosts, [&](OfHost o) {
    for (o.device = 0; o.device < o.host.view->devices.size(); ++o.device) {
      if (o.step.takes_part(o.device)) t.Row(o);
    }
  });
  return t.Done();
}

TextCell LoopOf(const StepSeries& series) {
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
  struct Times {
    const HostSteps& host;
    const StepSeries& series;
    uint64_t waited = 0;
    std::optional<StepStatistics> of{};
  };
  TableOf<Times> t({.name = "step_times"});
  t.Add("host", {.hidden = hosts.size() == 1}, kAboutMachine,
        [](const Times& times) { return times.host.host(); });
  t.Add("series", {.elastic = true}, kAboutSeries, [](const Times& times) { return times.series.name; });
  t.Add("inferred", {.hidden = !AnyInferred(hosts)}, "how the steps were found", [](const Times& times) {
    if (times.series.inferred()) return "inferred";
    return times.series.blocks() ? "block" : "annotated";
  });
  t.Add("loop", {.optional = true}, "whether the host waits for the results of most steps",
        [](const Times& times) { return LoopOf(times.series); });
  t.Hidden("waited", "steps whose result the host waited for", &Times::waited);
  t.Add("steps", "complete steps, which all numbers here are of",
        [](const Times& times) { return times.of ? times.of->sorted.size() : 0; });
  using S = StepStatistics;
  const auto if_known = [](auto get) {
    return [get](const Times& times) -> TimeCell { return times.of ? get(*times.of) : Unknown{kNoWork}; };
  };
  const auto time = [&](const char* name, std::string_view about, bool optional, auto get) {
    t.Time(name, {.optional = optional}, about, if_known([get](const S& s) { return TimeCell(get(s)); }));
  };
  time("mean", "mean step", false, [](const S& s) { return Ps(std::llround(s.mean())); });
  time("median", "half of the steps are faster", false, [](const S& s) { return s.median(); });
  time("p90", "nine of ten steps are faster", false, [](const S& s) { return s.at(0.9); });
  time("p99", "99 of 100 steps are faster", false, [](const S& s) { return s.at(0.99); });
  time("min", "the fastest step", true, [](const S& s) { return s.sorted.front(); });
  time("max", "the slowest step", true, [](const S& s) { return s.sorted.back(); });
  // Much smaller: in a unit of its own.
  t.Add("sigma", "standard deviation", if_known([](const S& s) -> TimeCell {
          if (s.sorted.size() < 2) return Unknown{kOneStep};
          return Ps(std::llround(s.sigma()));
        }));
  t.Percent("cv", "standard deviation as a share of the mean", [](const Times& times) -> NumberCell {
    if (!times.of) return Unknown{kNoWork};
    if (times.of->sorted.size() < 2) return Unknown{kOneStep};
    if (times.of->mean() <= 0) return Unknown{"steps take no time"};
    return 100 * times.of->sigma() / times.of->mean();
  });
  for (const HostSteps& host : hosts) {
    for (size_t index = 0; index < host.series().size(); ++index) {
      const StepSeries& series = host.series()[index];
      if (series.steps.empty()) continue;
      const std::vector<const StepSeries*> of = Series(host, index, sample);
      Times times{host, series};
      for (const StepSeries* one : of)
        times.waited += static_cast<uint64_t>(std::ranges::count_if(one->steps, &Step::waited));
      if (host.knows(series)) times.of.emplace(of);
      t.Row(times);
    }
  }
  return t.Done();
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

#include "gait/analyze/question/steps/steps_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gait/analyze/device/partition.h"
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
constexpr std::string_view kAboutStep =
    "from the finish of the step before to its own, a mean over the devices";
constexpr const char* kOneStep = "one step has no spread";
constexpr const char* kNoWork = "no device work of this capture belongs to the step";

// One host's steps with the partition of each on each device.
struct HostSteps {
  const HostView* view = nullptr;
  bool of_program = false;  // only a selected program's time
  std::vector<std::vector<std::vector<Partition>>>
      parts;  // by series, step, device; empty devices have no window

  const std::string& host() const { return view->host->name; }
  const std::vector<StepSeries>& series() const { return view->series; }
  // How long the step took: its annotation does not say where devices worked.
  bool knows(const Step& step) const { return step.has_work() || view->devices.empty(); }
  bool knows(const StepSeries& series) const { return series.has_work() || view->devices.empty(); }
};

// With a selected program only its time counts: the part of its turns inside the step.
HostSteps Analyze(const HostView& view, bool of_program) {
  HostSteps result;
  result.view = &view;
  result.of_program = of_program;
  for (const StepSeries& series : view.series) {
    auto& steps = result.parts.emplace_back();
    for (const Step& step : series.steps) {
      auto& parts = steps.emplace_back();
      for (size_t d = 0; d < view.times.size(); ++d) {
        if (!of_program) {
          parts.push_back(view.times[d].Split(step.time[d]));
          continue;
        }
        Partition& sum = parts.emplace_back();
        for (const Interval piece : Clip(view.turns[d], step.time[d])) sum += view.times[d].Split(piece);
      }
    }
  }
  return result;
}

std::string Flags(const Step& step) {
  std::string flags;
  const auto add = [&](bool set, std::string_view word) {
    if (set) flags += fmt::format("{}{}", flags.empty() ? "" : ", ", word);
  };
  add(step.begin_unknown(), "first");
  add(step.partial(), "partial");
  add(step.no_work(), "no work");
  add(step.compiles, "compiles");
  add(step.outlier, "outlier");
  return flags;
}

constexpr Ps Partition::* kParts[] = {&Partition::compute, &Partition::exposed_communication,
                                      &Partition::exposed_copies, &Partition::unknown, &Partition::idle};
constexpr Ps Partition::* kHidden[] = {&Partition::hidden_communication, &Partition::hidden_copies};

// The parts of each row's time. `of` gives a Partition, or null where there is none.
template <typename R, typename PartitionOf>
void AddParts(TableOf<R>& t, PartitionOf of) {
  const auto part = [&](const char* name, Show show, std::string_view about, Ps Partition::* member) {
    t.Time(name, std::move(show), about, [of, member](const R& row) -> TimeCell {
      const Partition* parts = of(row);
      return parts != nullptr ? TimeCell(parts->*member) : Unknown{kNoWork};
    });
  };
  using P = Partition;
  part("compute", {}, "some computation ran on the device", &P::compute);
  part("exposed_communication", {.head = "comm", .optional = true}, "only communication between devices ran",
       &P::exposed_communication);
  part("exposed_copies", {.head = "copies", .optional = true}, "only copies ran", &P::exposed_copies);
  part("unknown", {.optional = true}, "only kernels ran that belong to no program", &P::unknown);
  part("idle", {}, "nothing ran: the parts sum to the step", &P::idle);
  part("hidden_communication", {.hidden = true}, "communication while computation ran",
       &P::hidden_communication);
  part("hidden_copies", {.hidden = true}, "copies while computation or communication ran", &P::hidden_copies);
}

// Means over the devices that take part. Integer division may lose a picosecond per part; the table of
// devices is exact.
Partition MeanOf(const Step& step, const std::vector<Partition>& parts, bool of_program) {
  Partition mean;
  int64_t devices = 0;
  for (size_t d = 0; d < parts.size(); ++d) {
    const Partition& p = parts[d];
    if (of_program ? p.window == Ps() : !step.takes_part(d)) continue;
    ++devices;
    mean.window += p.window;
    for (const auto part : kParts) mean.*part += p.*part;
    for (const auto part : kHidden) mean.*part += p.*part;
  }
  if (devices == 0) return mean;
  for (const auto part : kParts) mean.*part = mean.*part / devices;
  for (const auto part : kHidden) mean.*part = mean.*part / devices;
  mean.window = mean.window / devices;
  return mean;
}

// A step of a host, on one of its devices or on all.
struct OfHost {
  const HostSteps& host;
  const StepSeries& series;
  const Step& step;
  const std::vector<Partition>& parts;  // by device
  size_t device = 0;
  Partition mean{};
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
        add(OfHost{host, series, series.steps[i], host.parts[s][i]});
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
  ForEachStep(hosts, [&](const OfHost& o) { flags |= !Flags(o.step).empty(); });
  TableOf<OfHost> t = StepsOf(
      {.name = "steps",
       .if_empty = outside
                       ? "the selected program ran in no step"
                       : "no steps: no event has a step_num, and programs run in no period that was found",
       .text_rows = kTextSteps},
      hosts.size() == 1, one_series);
  t.Time("step_time", {.head = "step"}, kAboutStep, [](const OfHost& o) -> TimeCell {
    if (!o.host.knows(o.step)) return Unknown{kNoWork};
    return o.host.of_program ? o.mean.window : o.step.duration();
  });
  t.Time("host_time", {.head = "on the host"}, "how long the annotation lasted",
         [](const OfHost& o) { return o.step.host.length(); });
  AddParts(t, [](const OfHost& o) { return o.step.has_work() ? &o.mean : nullptr; });
  // Flags say what is wrong with a step: where there are any, a narrow line leaves out small parts instead.
  t.Add("flags", {.optional = !flags},
        "first, partial, no work, compiles (a program was compiled meanwhile), outlier",
        [](const OfHost& o) { return Flags(o.step); });
  ForEachStep(hosts, [&](OfHost o) {
    o.mean = MeanOf(o.step, o.parts, o.host.of_program);
    t.Row(o);
  });
  Table table = t.Done();
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
  AddParts(t, [](const OfHost& o) { return &o.parts[o.device]; });
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

Table TimesTable(const std::vector<HostSteps>& hosts) {
  struct Times {
    const HostSteps& host;
    const StepSeries& series;
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
  t.Hidden("waited", "steps whose result the host waited for", [](const Times& times) {
    return static_cast<uint64_t>(std::ranges::count_if(times.series.steps, &Step::waited));
  });
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
    for (const StepSeries& series : host.series()) {
      if (series.steps.empty()) continue;
      Times times{host, series};
      if (host.knows(series)) times.of.emplace(series);
      t.Row(times);
    }
  }
  return t.Done();
}

// Of the main steps of the first host that has any, on all hosts.
std::string Answer(const std::vector<HostSteps>& hosts, bool outside) {
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
  Ps window;
  Ps idle;
  int64_t device_steps = 0;
  for (const HostSteps& host : hosts) {
    const auto same = std::ranges::find(host.series(), series.name, &StepSeries::name);
    if (same == host.series().end()) continue;
    everywhere.push_back(&*same);
    const bool any_complete = std::ranges::any_of(same->steps, &Step::complete);
    for (size_t i = 0; i < same->steps.size(); ++i) {
      if (any_complete && !same->steps[i].complete()) continue;
      device_steps += same->steps[i].devices();
      for (const Partition& parts : host.parts[static_cast<size_t>(same - host.series().begin())][i]) {
        window += parts.window;
        idle += parts.idle;
      }
    }
  }
  const StepStatistics s(everywhere);
  const std::string on = everywhere.size() > 1 ? fmt::format(" on {} hosts", everywhere.size()) : "";
  const std::string of =
      fmt::format("of {}{}{}", s.sorted.size(), on, s.complete ? "" : ", none of them complete");
  std::string text = fmt::format("{} {} (median {})", report::TimeText(s.median()), found->view->AStep(), of);
  if (found->of_program && device_steps > 0) {
    text = fmt::format("{} of a step of {} (means {})", report::TimeText(window / device_steps),
                       report::TimeText(Ps(std::llround(s.mean()))), of);
  }
  if (!series.has_work()) return text + " on the host; no device work in this capture belongs to a step.";
  if (window > Ps()) {
    text += fmt::format(", device busy {:.1f} %", 100.0 * static_cast<double>((window - idle).value()) /
                                                      static_cast<double>(window.value()));
  }
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
  for (const HostView& host : view.hosts) hosts.push_back(Analyze(host, of_program));
  const bool one_series =
      std::ranges::all_of(hosts, [](const HostSteps& h) { return h.series().size() <= 1; });
  const bool outside = std::ranges::any_of(view.hosts, &HostView::outside_steps);
  document.answer = Answer(hosts, outside);
  document.tables =
      TablesOf(StepsTable(hosts, one_series, outside), TimesTable(hosts), DevicesTable(hosts, one_series));
  document.main_table = "steps";
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

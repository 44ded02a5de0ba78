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
constexpr std::string_view kAboutHost = "the machine, or one of its processes";
constexpr std::string_view kAboutSeries = "the annotation's name; where there is none, the program's";
constexpr std::string_view kAboutStep =
    "from the finish of the step before to its own, a mean over the devices";
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

std::vector<Column> PartColumns() {
  const auto time = [](std::string name, std::string head, bool optional, bool hidden,
                       std::string_view about) {
    return Column{std::move(name),
                  Type::kInteger,
                  unit::kPs,
                  {.head = std::move(head), .hidden = hidden, .group = "time", .optional = optional},
                  about};
  };
  return {time("compute", "compute", false, false, "some computation ran on the device"),
          time("exposed_communication", "comm", true, false, "only communication between devices ran"),
          time("exposed_copies", "copies", true, false, "only copies ran"),
          time("unknown", "unknown", true, false, "only kernels ran that belong to no program"),
          time("idle", "idle", false, false, "nothing ran: the parts sum to the step"),
          time("hidden_communication", "", false, true, "communication while computation ran"),
          time("hidden_copies", "", false, true, "copies while computation or communication ran")};
}

void AppendParts(Row& row, const Partition& parts) {
  for (const auto part : kParts) row.push_back(parts.*part);
  for (const auto part : kHidden) row.push_back(parts.*part);
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

std::vector<Column> Keys(bool one_host, bool one_series) {
  return {{"host", Type::kText, unit::kNone, {.hidden = one_host, .elastic = true}, kAboutHost},
          {"series", Type::kText, unit::kNone, {.hidden = one_series, .elastic = true}, kAboutSeries},
          {"step", Type::kInteger, unit::kNone, {.identifier = true}, "its number in the annotation"}};
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
  Table table = NewTable("steps", Keys(hosts.size() == 1, one_series));
  table.columns.push_back(
      {"step_time", Type::kInteger, unit::kPs, {.head = "step", .group = "time"}, kAboutStep});
  table.columns.push_back({"host_time",
                           Type::kInteger,
                           unit::kPs,
                           {.head = "on the host", .group = "time"},
                           "how long the annotation lasted"});
  for (Column& column : PartColumns()) table.columns.push_back(std::move(column));
  table.columns.push_back({"flags",
                           Type::kText,
                           unit::kNone,
                           {.optional = true},
                           "first, partial, no work, compiles (a program was compiled meanwhile), outlier"});
  table.text_rows = kTextSteps;
  table.if_empty = outside
                       ? "the selected program ran in no step"
                       : "no steps: no event has a step_num, and programs run in no period that was found";
  for (const HostSteps& host : hosts) {
    for (size_t s = 0; s < host.series().size(); ++s) {
      for (size_t i = 0; i < host.series()[s].steps.size(); ++i) {
        const Step& step = host.series()[s].steps[i];
        const Partition mean = MeanOf(step, host.parts[s][i], host.of_program);
        Row row = {host.host(), host.series()[s].name, step.number,
                   !host.knows(step) ? Cell(Unknown{kNoWork})
                                     : Cell(host.of_program ? mean.window : step.duration()),
                   step.host.length()};
        if (step.has_work()) {
          AppendParts(row, mean);
        } else {
          row.resize(row.size() + std::size(kParts) + std::size(kHidden), Unknown{kNoWork});
        }
        row.emplace_back(Flags(step));
        table.rows.push_back(std::move(row));
      }
    }
  }
  HideZeros(table);
  // Flags say what is wrong with a step: where there are any, a narrow line leaves out small parts instead.
  table.columns.back().show.optional =
      std::ranges::all_of(table.rows, [](const Row& row) { return row.back().text().empty(); });
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

Table TimesTable(const std::vector<HostSteps>& hosts) {
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
    for (const StepSeries& series : host.series()) {
      if (series.steps.empty()) continue;
      Row row = {host.host(), series.name,
                 series.inferred() ? "inferred"
                 : series.blocks() ? "block"
                                   : "annotated",
                 LoopCell(series), static_cast<uint64_t>(std::ranges::count_if(series.steps, &Step::waited))};
      if (!host.knows(series)) {
        row.emplace_back(uint64_t{0});
        row.resize(table.columns.size(), Unknown{kNoWork});
        table.rows.push_back(std::move(row));
        continue;
      }
      const StepStatistics s(series);
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

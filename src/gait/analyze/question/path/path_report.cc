#include "gait/analyze/question/path/path_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "gait/analyze/question/path/path_totals.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextEvents = 20;

std::vector<size_t> ClassesBySize(const TimeByClass& by) {
  std::vector<size_t> order;
  for (size_t c = 0; c < kPathClasses; ++c) order.push_back(c);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return by[a] > by[b]; });
  return order;
}

Table ClassesTable(const PathTotals& sum) {
  Table table = NewTable(
      "path", "class",
      {{"class", Type::kText, unit::kNone, {.hidden = true}, "the class's stable name"},
       {"what", Type::kText, unit::kNone, {.head = "on the path"}, "what the time on the path went to"},
       {"per_step",
        Type::kInteger,
        unit::kPs,
        {.head = sum.steps ? "a step" : "time", .group = "time"},
        "time on the path, mean over steps and devices; of the capture where there are no steps"},
       {"share",
        Type::kNumber,
        unit::kPercent,
        {.head = sum.steps ? "of the step" : "of the path"},
        "share of the path, which is as long as the step"},
       {"without",
        Type::kInteger,
        unit::kPs,
        {.head = sum.steps ? "step without it" : "time without it", .group = "time"},
        "the step if this cost nothing: not less than this, often more, as another path becomes the longest"},
       {"total", Type::kInteger, unit::kPs, {.hidden = true}, "time on the paths of all steps and devices"}});
  table.if_empty = "no path: no device work in this capture";
  for (const size_t c : ClassesBySize(sum.by)) {
    if (sum.by[c] == Ps()) continue;
    const auto in = static_cast<PathClass>(c);
    table.rows.push_back({Name(in), Describe(in), sum.Mean(sum.by[c]), sum.Share(sum.by[c]),
                          sum.Mean(sum.without[c]), sum.by[c]});
  }
  return table;
}

Table BoundsTable(const PathTotals& sum) {
  Table table = NewTable(
      "path_bounds", "bound",
      {{"bound", Type::kText, unit::kNone, {.hidden = true}, "the bound's stable name"},
       {"if", Type::kText, unit::kNone, {.elastic = true}, "what is assumed"},
       {"step",
        Type::kInteger,
        unit::kPs,
        {.head = sum.steps ? "step at least" : "time at least", .group = "time"},
        "a lower bound of the step then, mean over steps and devices"},
       {"saved",
        Type::kInteger,
        unit::kPs,
        {.head = "saves at most", .group = "time"},
        "how much less that is than now"},
       {"speedup", Type::kNumber, unit::kNone, {.head = "times faster"}, "the step now over the bound"}});
  if (sum.time == Ps()) return table;
  const Ps step = sum.Mean(sum.time);
  for (const PathBound& bound : BoundsOf(sum)) {
    if (bound.of_host && !sum.calls) {
      const Cell unknown = Unknown{"the capture holds no call of the host for this work"};
      table.rows.push_back({bound.name, bound.about, unknown, unknown, unknown});
      continue;
    }
    table.rows.push_back({bound.name, bound.about, bound.time, step - bound.time,
                          bound.time == Ps() ? Cell(Unknown{"nothing would be left"})
                                             : Cell(static_cast<double>(step.value()) /
                                                    static_cast<double>(bound.time.value()))});
  }
  return table;
}

std::string EventName(const Trace& trace, const PathEvent& event) {
  if (event.instruction.valid()) {
    const Program& program = trace.programs()[event.instruction.program.value];
    return std::string(program.text(program[event.instruction.instruction].name));
  }
  if (event.name.valid()) return std::string(trace.text(event.name));
  return event.in == PathClass::kKernelGap ? "(between kernels)" : "(nothing recorded)";
}
std::string_view ScopeOf(const Trace& trace, const PathEvent& event) {
  if (!event.instruction.valid()) return {};
  const Program& program = trace.programs()[event.instruction.program.value];
  return program.text(program[event.instruction.instruction].op_name);
}

Table EventsTable(const std::vector<HostPath>& hosts, const PathTotals& sum) {
  Table table = NewTable(
      "path_events", "name",
      {{"host",
        Type::kText,
        unit::kNone,
        {.hidden = hosts.size() == 1, .elastic = true},
        "the host that did it"},
       {"name",
        Type::kText,
        unit::kNone,
        {.head = "what lies on it", .elastic = true},
        "the operation, the call, or what the host did; on the host the outermost event of the same class"},
       {"class", Type::kText, unit::kNone, {}, "its class, as in the table above"},
       {"per_step",
        Type::kInteger,
        unit::kPs,
        {.head = sum.steps ? "a step" : "time"},
        "time on the path, mean over steps and devices"},
       {"share",
        Type::kNumber,
        unit::kPercent,
        {.head = sum.steps ? "of the step" : "of the path"},
        "share of the path"},
       {"count", Type::kInteger, unit::kNone, {}, "how often it lies on a path, all steps and devices"},
       {"total", Type::kInteger, unit::kPs, {.hidden = true}, "time on the paths of all steps and devices"},
       {"scope", Type::kText, unit::kNone, {.hidden = true}, "the operation's scope path"},
       ProgramIdColumn("id of the operation's program")});
  table.text_rows = kTextEvents;
  struct Named {
    const HostPath* host;
    const PathEvent* event;
  };
  std::vector<Named> all;
  for (const HostPath& host : hosts) {
    for (const PathEvent& event : host.events) all.push_back({&host, &event});
  }
  std::ranges::stable_sort(all, std::greater(), [](const Named& n) { return n.event->time; });
  for (const auto& [host, event] : all) {
    const Trace& trace = host->view->trace();
    const std::string_view scope = ScopeOf(trace, *event);
    table.rows.push_back({host->view->host->name, EventName(trace, *event), Name(event->in),
                          sum.Mean(event->time), sum.Share(event->time), event->count, event->time,
                          scope.empty() ? Cell(Unknown{"no scope"}) : Cell(scope),
                          event->instruction.valid()
                              ? Cell(trace.programs()[event->instruction.program.value].id)
                              : Cell(Unknown{"no instruction of a program"})});
  }
  return table;
}

Table StepsTable(const std::vector<HostPath>& hosts) {
  Table table = NewTable("path_steps", "step",
                         {{"host", Type::kText, unit::kNone, {}, "host of the device"},
                          {"device", Type::kText, unit::kNone, {}, "the device whose finish ends the path"},
                          {"step", Type::kInteger, unit::kNone, {.identifier = true}, "the step"},
                          {"begin", Type::kInteger, unit::kPs, {}, "where the path begins"},
                          {"length",
                           Type::kInteger,
                           unit::kPs,
                           {},
                           "its length: that of the step, or of what the chosen program has of it"},
                          {"perfect_overlap",
                           Type::kInteger,
                           unit::kPs,
                           {},
                           "the most that compute, communication or copies take on the device"}});
  for (size_t c = 0; c < kPathClasses; ++c) {
    table.columns.push_back({std::string(Name(static_cast<PathClass>(c))),
                             Type::kInteger,
                             unit::kPs,
                             {},
                             "time on the path; the classes sum to its length"});
  }
  table.hidden = true;
  for (const HostPath& host : hosts) {
    for (const StepPath& path : host.paths) {
      Row row = {host.view->host->name,
                 host.view->devices[path.device].name,
                 path.step != nullptr ? Cell(path.step->number) : Cell(Unknown{kNoSteps}),
                 path.time.begin,
                 path.length,
                 path.device_work.PerfectOverlap()};
      for (const Ps part : path.by) row.emplace_back(part);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// "31.0 ms input (data_loading)": the two largest classes with the largest thing in each.
std::string Answer(const std::vector<HostPath>& hosts, const PathTotals& sum) {
  if (sum.time == Ps()) return "No device work in this capture, so there is no path.";
  std::string text =
      fmt::format("{}{}:", report::TimeText(sum.Mean(sum.time)), sum.steps ? " a step (mean)" : "");
  const std::vector<size_t> order = ClassesBySize(sum.by);
  for (size_t i = 0; i < 2 && sum.by[order[i]] > Ps(); ++i) {
    const auto in = static_cast<PathClass>(order[i]);
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", report::TimeText(sum.Mean(sum.by[order[i]])),
                        Describe(in));
    for (const HostPath& host : hosts) {
      const auto largest = std::ranges::find(host.events, in, &PathEvent::in);
      const bool tells = largest != host.events.end() && largest->time > sum.by[order[i]] / 2 &&
                         in != PathClass::kKernelGap &&
                         (largest->name.valid() || largest->instruction.valid());
      if (!tells) continue;
      text += fmt::format(" ({}{})", EventName(host.view->trace(), *largest),
                          hosts.size() > 1 ? " on " + host.view->host->name : "");
      break;
    }
  }
  const auto first = static_cast<PathClass>(order[0]);
  if (first == PathClass::kCompute) {
    const bool alone = sum.by[order[0]] > sum.time / 10 * 9;
    return text + (alone ? ". The device's own work is the limit." : ".");
  }
  if (first == PathClass::kUnknown) return text + ". The capture does not show what the devices waited for.";
  return text + fmt::format(". Without {} at least {}.", Describe(first),
                            report::TimeText(sum.Mean(sum.without[order[0]])));
}

}  // namespace

report::Document PathDocument(const RunView& view) {
  report::Document document = NewDocument("path", *view.run);
  const std::vector<HostPath> hosts = FindPaths(view);
  const PathTotals sum = TotalsOf(hosts, view.portions());
  document.answer = Answer(hosts, sum);
  document.tables = TablesOf(ClassesTable(sum), BoundsTable(sum), EventsTable(hosts, sum), StepsTable(hosts));
  document.main_table = "path_events";
  if (view.run->typed != "-") document.next = {Command("idle", *view.run), Command("ops", *view.run)};
  return document;
}

}  // namespace gait::analyze

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
  TableOf<PathClass> t(
      {.name = "path", .if_empty = "no path: no device work in this capture", .key = "class"});
  t.Hidden("class", "the class's stable name", [](PathClass in) { return Name(in); });
  t.Add("what", {.head = "on the path"}, "what the time on the path went to",
        [](PathClass in) { return Describe(in); });
  t.Time("per_step", {.head = sum.steps ? "a step" : "time"},
         "time on the path, mean over steps and devices; of the capture where there are no steps",
         [&](PathClass in) { return sum.Mean(sum.by[Index(in)]); });
  t.Percent("share", {.head = sum.steps ? "of the step" : "of the path"},
            "share of the path, which is as long as the step",
            [&](PathClass in) { return sum.Share(sum.by[Index(in)]); });
  t.Time("without", {.head = sum.steps ? "step without it" : "time without it"},
         "the step if this cost nothing: not less than this, often more, as another path becomes the longest",
         [&](PathClass in) { return sum.Mean(sum.without[Index(in)]); });
  t.Hidden("total", "time on the paths of all steps and devices",
           [&](PathClass in) { return sum.by[Index(in)]; });
  for (const size_t c : ClassesBySize(sum.by)) {
    if (sum.by[c] > Ps()) t.Row(static_cast<PathClass>(c));
  }
  return t.Done();
}

Table BoundsTable(const PathTotals& sum) {
  const Ps step = sum.Mean(sum.time);
  const auto if_known = [&](auto get) {
    return [get, calls = sum.calls](const PathBound& bound) -> decltype(get(bound)) {
      if (bound.of_host && !calls) return Unknown{"the capture holds no call of the host for this work"};
      return get(bound);
    };
  };
  TableOf<PathBound> t({.name = "path_bounds", .key = "bound"});
  t.Hidden("bound", "the bound's stable name", &PathBound::name);
  t.Add("if", {.elastic = true}, "what is assumed", &PathBound::about);
  t.Time("step", {.head = sum.steps ? "step at least" : "time at least"},
         "a lower bound of the step then, mean over steps and devices",
         if_known([](const PathBound& bound) { return TimeCell(bound.time); }));
  t.Time("saved", {.head = "saves at most"}, "how much less that is than now",
         if_known([step](const PathBound& bound) { return TimeCell(step - bound.time); }));
  t.Add("speedup", {.head = "times faster"}, "the step now over the bound",
        if_known([step](const PathBound& bound) -> NumberCell {
          if (bound.time == Ps()) return Unknown{"nothing would be left"};
          return static_cast<double>(step.value()) / static_cast<double>(bound.time.value());
        }));
  return sum.time == Ps() ? t.Done() : t.Of(BoundsOf(sum));
}

bool HasEvent(const PathEvent& event) { return event.instruction.valid() || event.name.valid(); }

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
  struct Named {
    const HostPath* host;
    const PathEvent* event;

    const Trace& trace() const { return host->view->trace(); }
  };
  using N = Named;
  TableOf<N> t({.name = "path_events", .text_rows = kTextEvents, .key = "name"});
  t.Add("host", HostShow(hosts.size() == 1), "the host that did it",
        [](const N& n) { return n.host->view->host->name; });
  t.Add("name", {.head = "what lies on it", .elastic = true},
        "the operation, the call, or what the host did; on the host the outermost event of the same class",
        [](const N& n) { return EventName(n.trace(), *n.event); });
  t.Hidden("recorded", "1: it is an event of the capture",
           [](const N& n) { return int64_t{HasEvent(*n.event)}; });
  t.Add("class", "its class, as in the table above", [](const N& n) { return Name(n.event->in); });
  t.Add("per_step", {.head = sum.steps ? "a step" : "time"}, "time on the path, mean over steps and devices",
        [&](const N& n) { return sum.Mean(n.event->time); });
  t.Percent("share", {.head = sum.steps ? "of the step" : "of the path"}, "share of the path",
            [&](const N& n) { return sum.Share(n.event->time); });
  t.Add("count", "how often it lies on a path, all steps and devices",
        [](const N& n) { return n.event->count; });
  t.Hidden("total", "time on the paths of all steps and devices", [](const N& n) { return n.event->time; });
  t.Hidden("scope", "the operation's scope path",
           [](const N& n) { return OrUnknown(std::string(ScopeOf(n.trace(), *n.event)), "no scope"); });
  AddProgramId(
      t,
      [](const N& n) -> CellOf<uint64_t> {
        if (!n.event->instruction.valid()) return Unknown{"no instruction of a program"};
        return n.trace().programs()[n.event->instruction.program.value].id;
      },
      "id of the operation's program");
  std::vector<N> all;
  for (const HostPath& host : hosts) {
    for (const PathEvent& event : host.events) all.push_back({&host, &event});
  }
  std::ranges::stable_sort(all, std::greater(), [](const N& n) { return n.event->time; });
  return t.Of(all);
}

Table StepsTable(const std::vector<HostPath>& hosts) {
  const HostPath* host = nullptr;  // of the row
  using P = StepPath;
  TableOf<P> t({.name = "path_steps", .hidden = true, .key = "step"});
  t.Add("host", "host of the device", [&](const P&) { return host->view->host->name; });
  t.Add("device", "the device whose finish ends the path",
        [&](const P& path) { return host->view->devices[path.device].name; });
  t.Add("step", {.identifier = true}, "the step", [](const P& path) -> CellOf<int64_t> {
    if (path.step == nullptr) return Unknown{kNoSteps};
    return path.step->number;
  });
  t.Add("begin", "where the path begins", [](const P& path) { return path.time.begin; });
  t.Add("length", "its length: that of the step, or of what the chosen program has of it", &P::length);
  t.Add("perfect_overlap", "the most that compute, communication or copies take on the device",
        [](const P& path) { return path.device_work.PerfectOverlap(); });
  for (size_t c = 0; c < kPathClasses; ++c) {
    t.Add(std::string(Name(static_cast<PathClass>(c))), "time on the path; the classes sum to its length",
          [c](const P& path) { return path.by[c]; });
  }
  for (const HostPath& h : hosts) {
    host = &h;
    t.Rows(h.paths);
  }
  return t.Done();
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

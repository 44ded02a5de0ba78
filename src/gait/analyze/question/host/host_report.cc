#include "gait/analyze/question/host/host_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/host/projections.h"
#include "gait/analyze/question/host/host.h"
#include "gait/analyze/question/host/host_tables.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/vocabulary/python_frames.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// What people call a part.
std::string_view Words(HostPart part) {
  switch (part) {
    case HostPart::kFetch:
      return "fetching input";
    case HostPart::kToDevice:
      return "handing input to the device";
    case HostPart::kDispatch:
      return "dispatching programs";
    case HostPart::kCompile:
      return "compiling";
    case HostPart::kWait:
      return "waiting for results";
    case HostPart::kCollect:
      return "collecting garbage";
    case HostPart::kNone:
      break;
  }
  return "nothing that an event shows";
}

// Where the part shows: the largest activity that it is made of, annotations before calls. Input may be made,
// and data brought to the device, by threads that the main one waits for.
std::string Where(const HostTime& time, HostPart part) {
  const ActivityTime* best = nullptr;
  const auto of_part = [&](const ActivityTime& a) {
    return ProjectionOf(WorkOf(a.kind, a.name)).part == part;
  };
  const bool on_main =
      part != HostPart::kToDevice && std::ranges::any_of(time.activities, [&](const ActivityTime& a) {
        return a.main_total > Ps() && of_part(a);
      });
  const auto shown = [&](const ActivityTime& a) { return on_main ? a.main_total : a.total; };
  for (const ActivityTime& activity : time.activities) {
    if (shown(activity) == Ps() || !of_part(activity)) continue;
    const auto rank = [&](const ActivityTime& a) {
      return std::pair(a.kind == HostKind::kAnnotation ? 1 : 0, shown(a));
    };
    if (best == nullptr || rank(activity) > rank(*best)) best = &activity;
  }
  return best == nullptr ? std::string() : fmt::format(", mostly in {}", best->name);
}

// The annotation or function in which most of the rest went by, annotations and the user's own functions
// first where they have half of it; null: none has a tenth. What goes over several steps, or does more than
// rest without having half of it to itself, is the loop.
const ActivityTime* InRest(const HostTime& time, Ps rest) {
  Ps longest;
  for (const HostStepSplit& step : time.steps) {
    if (step.counts) longest = std::max(longest, step.step);
  }
  const ActivityTime* best = nullptr;
  for (const ActivityTime& activity : time.activities) {
    if (activity.kind != HostKind::kAnnotation && activity.kind != HostKind::kPython) continue;
    if (activity.main_rest * 10 < rest || activity.longest > longest) continue;
    if (activity.main_rest < activity.main_total / 100 * 99 && activity.main_self * 2 < rest) continue;
    const auto rank = [&](const ActivityTime& a) {
      const int own = a.kind == HostKind::kAnnotation ? 2 : IsUserFrame(a.name) ? 1 : 0;
      return std::pair(a.main_rest * 2 >= rest ? own : -1, a.main_rest);
    };
    if (best == nullptr || rank(activity) > rank(*best)) best = &activity;
  }
  return best;
}

// How long the devices of a host idled while it did anything but wait for results.
Ps HoldsUp(const HostReport& host, const HostStepSplit& sum) {
  if (host.view->devices.empty()) return Ps();
  Ps idle = sum.rest - sum.rest_device_busy;
  for (size_t p = 0; p < kHostParts; ++p) {
    if (static_cast<HostPart>(p) != HostPart::kWait) idle += sum.parts[p] - sum.device_busy[p];
  }
  return idle;
}

// The host that holds up its devices longest speaks for all: the devices of the others wait for those. Where
// none does, for a tenth of its steps, the one whose steps take longest.
const HostReport* Spokesman(const std::vector<HostReport>& hosts) {
  const HostReport* found = nullptr;
  std::pair<Ps, Ps> most;
  for (const HostReport& host : hosts) {
    const HostStepSplit sum = host.time.Sum();
    const Ps held = HoldsUp(host, sum);
    const std::pair key(held * 10 >= sum.step ? held : Ps(), sum.step);
    if (found == nullptr || key > most) found = &host;
    if (found == &host) most = key;
  }
  return found;
}

// What the device did in the meantime, where it is clear.
std::string_view Meanwhile(const HostReport& host, const HostStepSplit& sum, size_t part) {
  if (host.view->devices.empty() || sum.parts[part] <= Ps()) return "";
  const double busy =
      static_cast<double>(sum.device_busy[part].value()) / static_cast<double>(sum.parts[part].value());
  if (busy < 0.1) return "; the device idles meanwhile";
  return busy > 0.9 ? "; the device works meanwhile" : "";
}

// The part to name first, kHostParts for the rest: the one in which devices idle longest, where that is a
// tenth of the steps, since what the host does while they work costs nothing; else the longest.
size_t Foremost(const HostReport& host, const HostStepSplit& sum) {
  std::array<Ps, kHostParts + 1> times{};
  std::array<Ps, kHostParts + 1> idle{};
  for (size_t p = 0; p < kHostParts; ++p) {
    times[p] = sum.parts[p];
    idle[p] = sum.parts[p] - sum.device_busy[p];
  }
  times[kHostParts] = sum.rest;
  idle[kHostParts] = sum.rest - sum.rest_device_busy;
  const bool costs = !host.view->devices.empty() && std::ranges::max(idle) * 10 >= sum.step;
  const auto& by = costs ? idle : times;
  return static_cast<size_t>(std::ranges::max_element(by) - by.begin());
}

std::string Answer(const std::vector<HostReport>& hosts) {
  const HostReport* host = Spokesman(hosts);
  if (host == nullptr || !host->time.has_main) return "No events of host threads in this capture.";
  const HostTime& time = host->time;
  const std::string which = hosts.size() > 1 ? host->name() + ": " : "";
  if (time.steps.empty()) {
    const std::string top = time.activities.empty() ? "" : "; most time in " + time.activities[0].name;
    return fmt::format("{}No steps to split; {} over {}{}.", which,
                       report::Plural(time.threads.size(), "thread"), report::TimeText(time.window), top);
  }
  const HostStepSplit sum = time.Sum();
  const int64_t steps = time.counted();
  const size_t first = Foremost(*host, sum);
  const std::string step = report::TimeText(sum.step / steps) + " " + host->view->AStep();
  if (first == kHostParts) {
    const auto most = static_cast<size_t>(std::ranges::max_element(sum.parts) - sum.parts.begin());
    const ActivityTime* in = InRest(time, sum.rest);
    std::string text = fmt::format("{}{} of the host's {} is {}", which, report::TimeText(sum.rest / steps),
                                   step, in == nullptr ? "in no event that says what it does" : "other code");
    if (sum.rest_device_busy * 2 > sum.rest) text += ", most of it while the device works";
    if (in != nullptr) text += fmt::format(", {} in {}", report::TimeText(in->main_rest / steps), in->name);
    return text + fmt::format("; {} {}.", report::TimeText(sum.parts[most] / steps),
                              Words(static_cast<HostPart>(most)));
  }
  return fmt::format("{}{} of the host's {} goes to {}{}{}.", which,
                     report::TimeText(sum.parts[first] / steps), step, Words(static_cast<HostPart>(first)),
                     Where(time, static_cast<HostPart>(first)), Meanwhile(*host, sum, first));
}

void AddNotes(const std::vector<HostReport>& hosts, report::Document& document) {
  const auto any = [&](auto holds) {
    return std::ranges::any_of(hosts, [&](const HostReport& h) { return holds(h.time); });
  };
  if (any([](const HostTime& t) { return !t.has_python && t.has_main; })) {
    document.notes.emplace_back(
        "no Python functions: captured without the Python tracer; to get them set python_tracer_level = 1 in "
        "jax.profiler.ProfileOptions");
  }
  for (const HostReport& host : hosts) {
    if (host.time.steps.empty() || host.time.waits) continue;
    document.notes.push_back(
        host.time.loop +
        ": the host's step is the time it takes to ask for one, not the time the device takes");
    break;
  }
  if (any([](const HostTime& t) { return t.inferred; })) {
    document.notes.emplace_back("no annotated steps: a host step is the time from launch to launch");
  }
  const auto misses = [](const HostTime& t) { return static_cast<int64_t>(t.steps.size()) - t.counted(); };
  if (any([&](const HostTime& t) { return misses(t) > 1; })) {
    document.notes.emplace_back(
        "without steps that none of their kind follows at once: what the host does between two is not in "
        "them");
  } else if (any([&](const HostTime& t) { return misses(t) > 0; })) {
    document.notes.emplace_back(
        "without the last step: what the host did between it and the next one is not in the capture");
  }
}

}  // namespace

report::Document HostDocument(const RunView& view) {
  report::Document document = NewDocument("host", *view.run);
  std::vector<HostReport> hosts;
  for (const HostView& host : view.hosts) hosts.push_back({&host, AnalyzeHost(host)});
  document.answer = Answer(hosts);
  document.tables =
      TablesOf(InputPipelineTable(hosts), ActivitiesTable(hosts, std::nullopt), ThreadsTable(hosts),
               InputStepsTable(hosts), ActivitiesTable(hosts, HostKind::kAnnotation),
               ActivitiesTable(hosts, HostKind::kPython), ActivitiesTable(hosts, HostKind::kRuntime));
  document.main_table = "host_activities";
  AddNotes(hosts, document);
  for (std::string& note : view.LeftOutNotes()) document.notes.push_back(std::move(note));
  document.links = view.SeriesLinks();
  if (!view.selection.program.empty()) {
    document.notes.push_back(fmt::format(
        "{}: the host's threads work for all programs at once",
        view.hosts[0].outside_steps ? "the whole capture" : "whole steps in which the selected program ran"));
  }
  if (view.run->typed != "-") {
    document.next = {Command("host", *view.run, "--table input_steps"), Command("idle", *view.run)};
  }
  return document;
}

}  // namespace gait::analyze

#include "gait/analyze/question/host/host_tables.h"

#include <algorithm>
#include <utility>
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

constexpr const char* kNoPython =
    "no Python functions: captured without the Python tracer; to get them set python_tracer_level = 1 in "
    "jax.profiler.ProfileOptions";

Column Text(const char* name, Show show, std::string_view about) {
  return {name, Type::kText, unit::kNone, std::move(show), about};
}
Column Count(const char* name, Show show, std::string_view about) {
  return {name, Type::kInteger, unit::kNone, std::move(show), about};
}
Column Time(const char* name, Show show, std::string_view about) {
  return {name, Type::kInteger, unit::kPs, std::move(show), about};
}
Column HostColumn(const std::vector<HostReport>& hosts) {
  return Text("host", {.hidden = hosts.size() == 1, .elastic = true}, "the host");
}

Cell PerStep(const HostTime& time, Ps sum) {
  return time.steps.empty() ? Cell(Unknown{kNoSteps}) : Cell(sum / time.counted());
}
Cell Share(Ps part, Ps whole, const char* why) {
  if (whole <= Ps()) return Unknown{why};
  return 100 * static_cast<double>(part.value()) / static_cast<double>(whole.value());
}

constexpr std::string_view kPartAbout[kHostParts] = {
    "getting the next input: annotations and calls named after fetching, loading, batches, iterators, infeed",
    "handing input to the device: device_put, transfers, buffers from the host, sharding of arguments",
    "calling jitted functions and launching their work",
    "compiling",
    "waiting for results and copying them back: block_until_ready, await, synchronize, asarray",
    "garbage collection"};
constexpr std::string_view kRestAbout = "what no event tells: own Python code, and waiting that has no event";

bool AnyPart(const std::vector<HostReport>& hosts, size_t part) {
  for (const HostReport& host : hosts) {
    if (host.time.Sum().parts[part] > Ps()) return true;
  }
  return false;
}

}  // namespace

Table InputPipelineTable(const std::vector<HostReport>& hosts) {
  Table table;
  table.name = "input_pipeline";
  table.key = "part";
  table.title = "host step";
  table.columns = {
      Text("part", {}, "what the main thread did; the parts sum to the host's step"),
      HostColumn(hosts),
      Time("per_step", {.head = "per step", .group = "time"}, "time of the main thread per step"),
      {"share", Type::kNumber, unit::kPercent, {.head = "of step"}, "share of the host's step"},
      Time("total", {.hidden = true}, "time of the main thread over all steps that count"),
      Time(
          "device_busy", {.head = "device busy", .group = "time", .optional = true},
          "of that time, while a device of the host worked; of the rest it is likely waiting for the device"),
      Text("about", {.hidden = true}, "what belongs to the part")};
  for (const HostReport& host : hosts) {
    if (host.time.steps.empty()) continue;
    const HostStepSplit sum = host.time.Sum();
    const auto add = [&](std::string_view part, Ps time, Ps busy, std::string_view about) {
      table.rows.push_back({part, host.name(), PerStep(host.time, time),
                            Share(time, sum.step, "the steps take no time on the host"), time,
                            PerStep(host.time, busy), about});
    };
    for (size_t p = 0; p < kHostParts; ++p) {
      add(Name(static_cast<HostPart>(p)), sum.parts[p], sum.device_busy[p], kPartAbout[p]);
    }
    add("rest", sum.rest, sum.rest_device_busy, kRestAbout);
  }
  table.if_empty = "no host steps: the capture has no step annotations and no period of launches";
  return table;
}

Table InputStepsTable(const std::vector<HostReport>& hosts) {
  Table table;
  table.name = "input_steps";
  table.hidden = true;
  table.key = "step";
  table.columns = {HostColumn(hosts), Count("step", {.identifier = true}, "the step's number"),
                   Time("host_step", {.head = "host step", .group = "time"},
                        "from the begin of the step's annotation to the begin of the next one's; of the last "
                        "step, its annotation")};
  for (size_t p = 0; p < kHostParts; ++p) {
    table.columns.push_back({std::string(Name(static_cast<HostPart>(p))),
                             Type::kInteger,
                             unit::kPs,
                             {.hidden = !AnyPart(hosts, p), .group = "time"},
                             kPartAbout[p]});
  }
  table.columns.push_back(Time("rest", {.group = "time"}, kRestAbout));
  table.columns.push_back(Time("rest_device_busy", {.group = "time", .optional = true},
                               "of the rest: while a device of the host worked"));
  const bool all_count = std::ranges::all_of(hosts, [](const HostReport& host) {
    return std::ranges::all_of(host.time.steps, &HostStepSplit::counts);
  });
  table.columns.push_back(
      Text("flags", {.hidden = all_count},
           "partial: the last step, which lacks what comes before the next; not in means"));
  for (const HostReport& host : hosts) {
    for (const HostStepSplit& step : host.time.steps) {
      Row row = {host.name(), step.number, step.step};
      for (const Ps part : step.parts) row.emplace_back(part);
      row.emplace_back(step.rest);
      row.emplace_back(step.rest_device_busy);
      row.emplace_back(step.counts ? "" : "partial");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table ActivitiesTable(const std::vector<HostReport>& hosts, std::optional<HostKind> only) {
  Table table;
  table.name = "host_activities";
  if (only == HostKind::kAnnotation) table.name = "host_annotations";
  if (only == HostKind::kPython) table.name = "host_python";
  if (only == HostKind::kRuntime) table.name = "host_runtime";
  table.hidden = only.has_value();
  table.key = "name";
  table.text_rows = 20;
  table.columns = {
      Text("name", {.elastic = true}, "the annotation, the Python function, or the runtime's call"),
      HostColumn(hosts),
      Text("kind", {.hidden = only.has_value()},
           "step, annotation, python, runtime, operation (of XLA:CPU) or profiler"),
      Text("part", {.hidden = true},
           "the part of the host's step that it is where nothing around it says more"),
      Count("count", {}, "events that reach into the time covered"),
      Time("self_per_step", {.head = "self/step", .group = "time"},
           "time per step in which the thread was doing this and nothing called by it, all threads"),
      Time("total_per_step", {.head = "total/step", .group = "time"},
           "time per step from its begin to its end; what calls itself counts once"),
      Time("self", {.group = "time", .optional = true}, "self time over all that the report covers"),
      Time("total", {.group = "time", .optional = true}, "total time over all that the report covers"),
      Time("main_self", {.hidden = true}, "self time on the main thread"),
      Time("main_total", {.hidden = true}, "total time on the main thread"),
      Count("threads", {.hidden = true}, "threads that did it"),
      Time("mean", {.hidden = true}, "mean duration of an event"),
      Time("max", {.hidden = true}, "longest event")};
  struct OfHost {
    const HostReport* host;
    const ActivityTime* activity;
  };
  std::vector<OfHost> all;
  bool steps = false;
  for (const HostReport& host : hosts) {
    steps |= !host.time.steps.empty();
    for (const ActivityTime& activity : host.time.activities) {
      if (!only || activity.kind == *only) all.push_back({&host, &activity});
    }
  }
  std::ranges::stable_sort(all, [](const OfHost& a, const OfHost& b) {
    const auto key = [](const OfHost& o) { return std::pair(!o.activity->aside(), o.activity->self); };
    return key(a) > key(b);
  });
  for (const auto& [host, activity] : all) {
    table.rows.push_back({activity->name, host->name(), Name(activity->kind),
                          Name(PartOf(WorkOf(activity->kind, activity->name))), activity->count,
                          PerStep(host->time, activity->self), PerStep(host->time, activity->total),
                          activity->self, activity->total, activity->main_self, activity->main_total,
                          activity->threads, activity->mean(), activity->longest});
  }
  for (Column& column : table.columns) {
    if (column.name.ends_with("_per_step")) column.show.hidden = !steps;
    if (column.name == "self" || column.name == "total") column.show.hidden = steps;
  }
  table.if_empty = only == HostKind::kPython       ? kNoPython
                   : only == HostKind::kAnnotation ? "no annotations: mark parts of the loop with "
                                                     "jax.profiler.TraceAnnotation to see them here"
                                                   : "no events of host threads in the time covered";
  return table;
}

Table ThreadsTable(const std::vector<HostReport>& hosts) {
  Table table;
  table.name = "host_threads";
  table.key = "thread";
  table.text_rows = 10;
  table.columns = {Text("thread", {.elastic = true}, "the thread"),
                   HostColumn(hosts),
                   Text("main", {.optional = true}, "main: the thread that runs the loop"),
                   Count("events", {}, "events that reach into the time covered"),
                   Time("busy", {}, "time covered by events other than step annotations"),
                   {"busy_share",
                    Type::kNumber,
                    unit::kPercent,
                    {.head = "busy"},
                    "the same as a share of the time covered"},
                   Text("top", {.head = "mostly", .elastic = true}, "what it did longest, by self time"),
                   Count("ordinal", {.hidden = true, .identifier = true},
                         "which of the host's threads of this name it is, in the order of the capture")};
  for (const HostReport& host : hosts) {
    for (const HostThread& thread : host.time.threads) {
      table.rows.push_back({thread.name, host.name(), thread.main ? "main" : "", thread.events, thread.busy,
                            Share(thread.busy, host.time.window, "the report covers no time"),
                            thread.top ? Cell(host.time.activities[*thread.top].name)
                                       : Cell(Unknown{"its events take no time"}),
                            thread.ordinal});
    }
  }
  return table;
}

}  // namespace gait::analyze

#include "gait/analyze/question/host/host_tables.h"

#include <algorithm>
#include <utility>

#include "gait/analyze/host/projections.h"
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

constexpr const char* kNoPython =
    "no Python functions: captured without the Python tracer; to get them set python_tracer_level = 1 in "
    "jax.profiler.ProfileOptions";

constexpr const char* kAboutOneHost = "the host";

TimeCell PerStep(const HostTime& time, Ps sum) {
  if (time.steps.empty()) return Unknown{kNoSteps};
  return sum / time.counted();
}
NumberCell Share(Ps part, Ps whole, const char* why) {
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
  struct Part {
    std::string_view name;
    Ps time, device_busy;
    std::string_view about;
  };
  const HostReport* host = nullptr;  // of the row
  HostStepSplit sum;
  TableOf<Part> t({.name = "input_pipeline",
                   .title = "host step",
                   .if_empty = "no host steps: the capture has no step annotations and no period of launches",
                   .key = "part"});
  t.Add("part", "what the main thread did; the parts sum to the host's step", &Part::name);
  AddHost(t, hosts.size() == 1, [&] { return host->name(); }, kAboutOneHost);
  t.Time("per_step", {.head = "per step"}, "time of the main thread per step",
         [&](const Part& part) { return PerStep(host->time, part.time); });
  t.Percent("share", {.head = "of step"}, "share of the host's step", [&](const Part& part) {
    return Share(part.time, sum.step, "the steps take no time on the host");
  });
  t.Hidden("total", "time of the main thread over all steps that count", &Part::time);
  t.Time("device_busy", {.head = "device busy", .optional = true},
         "of that time, while a device of the host worked; of the rest it is likely waiting for the device",
         [&](const Part& part) { return PerStep(host->time, part.device_busy); });
  t.Hidden("about", "what belongs to the part", &Part::about);
  for (const HostReport& h : hosts) {
    if (h.time.steps.empty()) continue;
    host = &h;
    sum = h.time.Sum();
    for (size_t p = 0; p < kHostParts; ++p)
      t.Row({Name(static_cast<HostPart>(p)), sum.parts[p], sum.device_busy[p], kPartAbout[p]});
    t.Row({"rest", sum.rest, sum.rest_device_busy, kRestAbout});
  }
  return t.Done();
}

Table InputStepsTable(const std::vector<HostReport>& hosts) {
  using Split = HostStepSplit;
  const HostReport* host = nullptr;  // of the row
  const bool all_count = std::ranges::all_of(
      hosts, [](const HostReport& h) { return std::ranges::all_of(h.time.steps, &Split::counts); });
  TableOf<Split> t({.name = "input_steps", .hidden = true, .key = "step"});
  AddHost(t, hosts.size() == 1, [&] { return host->name(); }, kAboutOneHost);
  t.Add("step", {.identifier = true}, "the step's number", &Split::number);
  t.Time("host_step", {.head = "host step"},
         "from the begin of the step's annotation to the begin of the next one's; of the last step, its "
         "annotation",
         &Split::step);
  for (size_t p = 0; p < kHostParts; ++p) {
    t.Time(std::string(Name(static_cast<HostPart>(p))), {.hidden = !AnyPart(hosts, p)}, kPartAbout[p],
           [p](const Split& step) { return step.parts[p]; });
  }
  t.Time("rest", kRestAbout, &Split::rest);
  t.Time("rest_device_busy", {.optional = true}, "of the rest: while a device of the host worked",
         &Split::rest_device_busy);
  t.Add("flags", {.hidden = all_count},
        "partial: the last step, which lacks what comes before the next; not in means",
        [](const Split& step) { return step.counts ? "" : "partial"; });
  for (const HostReport& h : hosts) {
    host = &h;
    t.Rows(h.time.steps);
  }
  return t.Done();
}

Table ActivitiesTable(const std::vector<HostReport>& hosts, std::optional<HostKind> only) {
  struct OfHost {
    const HostReport* host;
    const ActivityTime* activity;
  };
  using O = OfHost;
  const bool steps =
      std::ranges::any_of(hosts, [](const HostReport& host) { return !host.time.steps.empty(); });
  const bool python = only == HostKind::kPython;
  const bool annotations = only == HostKind::kAnnotation;
  TableOf<O> t({.name = annotations                  ? "host_annotations"
                        : python                     ? "host_python"
                        : only == HostKind::kRuntime ? "host_runtime"
                                                     : "host_activities",
                .if_empty = python        ? kNoPython
                            : annotations ? "no annotations: mark parts of the loop with "
                                            "jax.profiler.TraceAnnotation to see them here"
                                          : "no events of host threads in the time covered",
                .hidden = only.has_value(),
                .text_rows = 20,
                .key = "name"});
  t.Add("name", {.elastic = true}, "the annotation, the Python function, or the runtime's call",
        [](const O& o) { return o.activity->name; });
  t.Add("host", HostShow(hosts.size() == 1), kAboutOneHost, [](const O& o) { return o.host->name(); });
  t.Add("kind", {.hidden = only.has_value()},
        "step, annotation, python, runtime, operation (of XLA:CPU) or profiler",
        [](const O& o) { return Name(o.activity->kind); });
  t.Hidden("part", "the part of the host's step that it is where nothing around it says more",
           [](const O& o) { return Name(ProjectionOf(WorkOf(o.activity->kind, o.activity->name)).part); });
  const auto of = [](auto ActivityTime::* member) {
    return [member](const O& o) { return o.activity->*member; };
  };
  t.Add("count", "events that reach into the time covered", of(&ActivityTime::count));
  t.Time("self_per_step", {.head = "self/step", .hidden = !steps},
         "time per step in which the thread was doing this and nothing called by it, all threads",
         [](const O& o) { return PerStep(o.host->time, o.activity->self); });
  t.Time("total_per_step", {.head = "total/step", .hidden = !steps},
         "time per step from its begin to its end; what calls itself counts once",
         [](const O& o) { return PerStep(o.host->time, o.activity->total); });
  t.Time("self", {.hidden = steps, .optional = true}, "self time over all that the report covers",
         of(&ActivityTime::self));
  t.Time("total", {.hidden = steps, .optional = true}, "total time over all that the report covers",
         of(&ActivityTime::total));
  t.Hidden("main_self", "self time on the main thread", of(&ActivityTime::main_self));
  t.Hidden("main_total", "total time on the main thread", of(&ActivityTime::main_total));
  t.Hidden("threads", "threads that did it", of(&ActivityTime::threads));
  t.Hidden("mean", "mean duration of an event", [](const O& o) { return o.activity->mean(); });
  t.Hidden("max", "longest event", of(&ActivityTime::longest));
  std::vector<O> all;
  for (const HostReport& host : hosts) {
    for (const ActivityTime& activity : host.time.activities) {
      if (!only || activity.kind == *only) all.push_back({&host, &activity});
    }
  }
  std::ranges::stable_sort(all, std::greater(),
                           [](const O& o) { return std::pair(!o.activity->aside(), o.activity->self); });
  return t.Of(all);
}

Table ThreadsTable(const std::vector<HostReport>& hosts) {
  using Thread = HostThread;
  const HostReport* host = nullptr;  // of the row
  TableOf<Thread> t({.name = "host_threads", .text_rows = 10, .key = "thread"});
  t.Add("thread", {.elastic = true}, "the thread", &Thread::name);
  AddHost(t, hosts.size() == 1, [&] { return host->name(); }, kAboutOneHost);
  t.Add("main", {.optional = true}, "main: the thread that runs the loop",
        [](const Thread& thread) { return thread.main ? "main" : ""; });
  t.Add("events", "events that reach into the time covered", &Thread::events);
  t.Add("busy", "time covered by events other than step annotations", &Thread::busy);
  t.Percent("busy_share", {.head = "busy"}, "the same as a share of the time covered",
            [&](const Thread& thread) {
              return Share(thread.busy, host->time.window, "the report covers no time");
            });
  t.Add("top", {.head = "mostly", .elastic = true}, "what it did longest, by self time",
        [&](const Thread& thread) -> TextCell {
          if (!thread.top) return Unknown{"its events take no time"};
          return host->time.activities[*thread.top].name;
        });
  t.Add("ordinal", {.hidden = true, .identifier = true},
        "which of the host's threads of this name it is, in the order of the capture", &Thread::ordinal);
  for (const HostReport& h : hosts) {
    host = &h;
    t.Rows(h.time.threads);
  }
  return t.Done();
}

}  // namespace gait::analyze

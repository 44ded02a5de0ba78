#include "gait/analyze/question/idle/idle_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "gait/analyze/question/idle/gaps.h"
#include "gait/analyze/question/idle/launch_report.h"
#include "gait/analyze/run/arguments.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextGaps = 20;
constexpr const char* kNoCall = "the capture does not hold the call";

struct Totals {
  Ps window;
  Ps idle;
  TimeByCause by{};
  std::array<uint64_t, kIdleCauses> gaps{};
  std::array<GapClass, std::size(kGapLimits)> lengths{};
};

Totals Sum(const std::vector<HostIdle>& hosts) {
  Totals sum;
  for (const HostIdle& host : hosts) {
    for (const DeviceIdle& device : host.devices) {
      sum.window += device.window;
      sum.idle += device.idle;
      for (size_t c = 0; c < kIdleCauses; ++c) {
        sum.by[c] += device.by[c];
        sum.gaps[c] += device.gaps[c];
      }
      for (size_t c = 0; c < sum.lengths.size(); ++c) {
        sum.lengths[c].gaps += device.lengths[c].gaps;
        sum.lengths[c].time += device.lengths[c].time;
      }
    }
  }
  return sum;
}

std::vector<size_t> CausesBySize(const TimeByCause& by) {
  std::vector<size_t> order;
  for (size_t c = 0; c < kIdleCauses; ++c) order.push_back(c);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return by[a] > by[b]; });
  return order;
}

Table CausesTable(const Totals& sum, int64_t device_steps) {
  using Cause = IdleCause;
  const auto time = [&](Cause cause) { return sum.by[Index(cause)]; };
  TableOf<Cause> t({.name = "idle",
                    .if_empty = sum.window == Ps() ? "no device did anything in this capture"
                                                   : "no idle time: something ran on the device all the time",
                    .key = "why"});
  t.Add("cause", "the cause's stable name, as --cause takes it", [](Cause cause) { return Name(cause); });
  t.Add("why", {.elastic = true}, "the cause in words", [](Cause cause) { return Describe(cause); });
  t.Add("per_step", {.head = "a step", .optional = true}, "idle time of this cause in a step, on one device",
        [=](Cause cause) { return PerStep(time(cause), device_steps); });
  t.Add("idle", {.head = "total", .hidden = device_steps > 0},
        "idle time of this cause, all devices and steps", time);
  t.Percent("of_idle", {.head = "of idle"}, "share of all idle time",
            [&](Cause cause) { return Percent(time(cause), sum.idle); });
  t.Percent("of_time", {.head = "of time"}, "share of the devices' time: of the step where there are steps",
            [&](Cause cause) { return Percent(time(cause), sum.window); });
  t.Add("gaps", "gaps that this cause has the largest part of",
        [&](Cause cause) { return sum.gaps[Index(cause)]; });
  for (const size_t c : CausesBySize(sum.by)) {
    if (sum.by[c] > Ps()) t.Row(static_cast<Cause>(c));
  }
  return t.Done();
}

std::string_view Text(const Trace& trace, StringId id) {
  return id.valid() ? trace.text(id) : std::string_view();
}
// What the work that ends a gap is called: its operation, or its own name.
std::string WorkName(const Trace& trace, EventRef event) {
  if (!event.track.valid()) return {};
  const ArgSetId set = trace.track(event.track).args(event.index);
  const Attribution found = trace.attribution(set);
  if (found.instruction.valid()) {
    const Program& program = trace.programs()[found.instruction.program.value];
    return std::string(program.text(program[found.instruction.instruction].name));
  }
  const std::string_view named = UnfoundOperation(trace, set);
  return std::string(named.empty() ? trace.name(event) : named);
}

bool IsStep(const HostView& host, std::string_view name) {
  return std::ranges::any_of(host.series, [&](const StepSeries& s) { return s.name == name; });
}

// What the host did, in one line: an annotation that is more than the step, the runtime's call, the function.
TextCell HostDid(const HostView& host, const HostScene& scene) {
  std::string text;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) text += fmt::format("{}{}", text.empty() ? "" : " · ", name);
  };
  const Trace& trace = host.trace();
  if (!IsStep(host, Text(trace, scene.annotation))) add(Text(trace, scene.annotation));
  add(Text(trace, scene.runtime));
  add(Text(trace, scene.python));
  if (text.empty()) add(Text(trace, scene.annotation));
  return OrUnknown(text, "nothing recorded of the host covers half of it");
}

struct Listed {
  const HostIdle* host;
  const DeviceIdle* device;
  const IdleGap* gap;

  const Trace& trace() const { return host->view->trace(); }
  std::string Text(StringId HostScene::* member) const {
    return std::string(analyze::Text(trace(), gap->scene.*member));
  }
};

// What the host did meanwhile, one thing by one.
void AddScene(TableOf<Listed>& t) {
  const auto text = [](StringId HostScene::* member, const char* why) {
    return [member, why](const Listed& l) { return OrUnknown(l.Text(member), why); };
  };
  t.Hidden("annotation", "the innermost annotation that covers half of the gap",
           text(&HostScene::annotation, "no annotation covers half of it"));
  t.Hidden("python", "the same of Python functions; needs the Python tracer",
           text(&HostScene::python, "no Python function covers half of it, or the Python tracer was off"));
  t.Hidden("runtime", "the same of calls of the runtime, on the thread that launched what ends the gap",
           text(&HostScene::runtime, "no call of the runtime covers half of it"));
  t.Hidden("thread", "the thread that launched what ends the gap", [](const Listed& l) -> TextCell {
    if (!l.gap->call.track.valid()) return Unknown{kNoCall};
    return TrackName(l.trace(), l.trace().track(l.gap->call.track));
  });
  t.Hidden("launch", "when the call that launched it began", [](const Listed& l) -> TimeCell {
    if (!l.gap->call.track.valid()) return Unknown{kNoCall};
    return l.trace().track(l.gap->call.track).begin(l.gap->call.index);
  });
}

// Of a cause that no listed gap has time of.
std::string NoGapOf(IdleCause cause, const Totals& sum) {
  const Ps time = sum.by[Index(cause)];
  if (time == Ps()) return fmt::format("no idle time has the cause {}", Name(cause));
  return fmt::format(
      "{} has {} of the idle time, all of it in gaps that are only counted: shorter than {}, and not among "
      "the {} longest",
      Name(cause), report::TimeText(time), report::TimeText(kListedGap), kListedGaps);
}

Table GapsTable(const std::vector<HostIdle>& hosts, const Totals& sum, int64_t device_count,
                std::optional<IdleCause> cause) {
  using L = Listed;
  TableOf<L> t({.name = "idle_gaps",
                .if_empty = cause ? NoGapOf(*cause, sum) : "no gap",
                .text_rows = kTextGaps,
                .key = "cause"});
  t.Add("host", HostShow(hosts.size() == 1), kAboutDeviceHost,
        [](const L& l) { return l.host->view->host->name; });
  t.Add("device", {.hidden = device_count == 1}, "the device that was idle",
        [](const L& l) { return l.device->device->name; });
  t.Add("step", {.identifier = true, .optional = true}, "the step it lies in",
        [](const L& l) -> CellOf<int64_t> {
          if (l.gap->step == nullptr) return Unknown{"outside of steps"};
          return l.gap->step->number;
        });
  t.Add("begin", {.head = "at"}, "when the gap began, from the capture's begin",
        [](const L& l) { return l.gap->time.begin; });
  t.Add("duration", {.head = "idle"}, "how long the device was idle",
        [](const L& l) { return l.gap->time.length(); });
  t.Add("cause", "the cause of most of the gap", [](const L& l) { return Name(l.gap->cause); });
  t.Add("host_did", {.head = "the host did", .elastic = true},
        "annotation, call of the runtime and Python function that cover at least half of the gap",
        [](const L& l) { return HostDid(*l.host->view, l.gap->scene); });
  t.Add("ended_by", {.head = "ended by", .elastic = true}, "the operation that ends it",
        [](const L& l) { return OrUnknown(WorkName(l.trace(), l.gap->ended_by), "nothing follows"); });
  AddScene(t);
  for (size_t c = 0; c < kIdleCauses; ++c) {
    const std::string name(Name(static_cast<IdleCause>(c)));
    t.Add("by_" + name, {.head = "of it " + name, .hidden = !cause || c != Index(*cause)},
          "the part of the gap that has this cause", [c](const L& l) { return l.gap->by[c]; });
  }
  std::vector<L> listed;
  for (const HostIdle& host : hosts) {
    for (const DeviceIdle& device : host.devices) {
      for (const std::vector<IdleGap>* gaps : {&device.longest, &device.shorter}) {
        for (const IdleGap& gap : *gaps) {
          if (!cause || gap.by[Index(*cause)] > Ps()) listed.push_back({&host, &device, &gap});
        }
      }
    }
  }
  std::ranges::stable_sort(listed, std::greater(), [&](const L& l) {
    return std::pair(cause ? l.gap->by[Index(*cause)] : Ps(), l.gap->time.length());
  });
  return t.Of(listed);
}

Table LengthsTable(const Totals& sum, int64_t device_steps) {
  TableOf<size_t> t({.name = "gap_lengths", .key = "length"});
  constexpr std::array<std::string_view, std::size(kGapLimits)> kNames = {"less than 10 µs", "10 to 100 µs",
                                                                          "100 µs to 1 ms", "1 ms or more"};
  t.Add("length", {.head = "gaps of"}, "how long the gaps are", [&](size_t c) { return kNames[c]; });
  t.Add("gaps", {.head = "number"}, "how many there are", [&](size_t c) { return sum.lengths[c].gaps; });
  t.Add("idle", {.head = "total"}, "their idle time", [&](size_t c) { return sum.lengths[c].time; });
  t.Add("per_step", {.head = "a step", .optional = true}, "their idle time in a step, on one device",
        [&](size_t c) { return PerStep(sum.lengths[c].time, device_steps); });
  t.Percent("of_idle", {.head = "of idle"}, "share of all idle time",
            [&](size_t c) { return Percent(sum.lengths[c].time, sum.idle); });
  AddLengths(
      t, [](size_t c) { return c == 0 ? Ps() : kGapLimits[c - 1]; }, [](size_t c) { return kGapLimits[c]; });
  for (size_t c = 0; c < kNames.size() && sum.idle > Ps(); ++c) t.Row(c);
  return t.Done();
}

Table StepsTable(const std::vector<HostIdle>& hosts) {
  using OfStep = DeviceIdle::OfStep;
  const HostIdle* host = nullptr;  // of the row
  size_t device = 0;
  TableOf<OfStep> t({.name = "idle_steps", .hidden = true, .key = "step"});
  t.Add("host", kAboutDeviceHost, [&](const OfStep&) { return host->view->host->name; });
  t.Add("device", "the device", [&](const OfStep&) { return host->view->devices[device].name; });
  t.Add("step", {.identifier = true}, "the step", [](const OfStep& of) { return of.step->number; });
  t.Add("step_time", "how long it took on the device",
        [&](const OfStep& of) { return of.step->time[device].length(); });
  t.Add("idle", "idle time of the device in it: the sum of the causes", &OfStep::idle);
  for (size_t c = 0; c < kIdleCauses; ++c) {
    t.Add(std::string(Name(static_cast<IdleCause>(c))), Describe(static_cast<IdleCause>(c)),
          [c](const OfStep& of) { return of.by[c]; });
  }
  for (const HostIdle& h : hosts) {
    host = &h;
    for (device = 0; device < h.devices.size(); ++device) t.Rows(h.devices[device].steps);
  }
  return t.Done();
}

// Which name stands for most of the time; empty where none has half of it.
class Majority {
 public:
  void Add(std::string_view name, Ps time) {
    total_ += time;
    if (!name.empty()) by_name_[name] += time;
  }
  std::string_view Find() const {
    for (const auto& [name, time] : by_name_) {
      if (time > total_ - time) return name;
    }
    return {};
  }

 private:
  std::unordered_map<std::string_view, Ps> by_name_;
  Ps total_;
};

// What the host did for most of the time that a cause has: an annotation that is more than the step, else a
// call of the runtime. One that only waits for a result did nothing else: another thread did.
std::string_view Culprit(const std::vector<HostIdle>& hosts, IdleCause cause) {
  Majority annotations;
  Majority calls;
  for (const HostIdle& host : hosts) {
    const Trace& trace = host.view->trace();
    for (const DeviceIdle& device : host.devices) {
      for (const IdleGap& gap : device.longest) {
        const Ps time = gap.by[Index(cause)];
        const std::string_view annotation = Text(trace, gap.scene.annotation);
        annotations.Add(IsStep(*host.view, annotation) ? std::string_view() : annotation, time);
        const std::string_view call = Text(trace, gap.scene.runtime);
        const bool waits = WorkOfName(call) == HostWork::kSync && cause != IdleCause::kHostSync;
        calls.Add(waits ? std::string_view() : call, time);
      }
    }
  }
  return annotations.Find().empty() ? calls.Find() : annotations.Find();
}

std::string Answer(const RunView& view, const std::vector<HostIdle>& hosts, const Totals& sum) {
  if (view.device_count() == 0) return "No device work in this capture, so nothing is known of idle time.";
  if (sum.window == Ps()) return "No device time to look at.";
  if (sum.idle == Ps()) return "The device was never idle.";
  const auto cause = static_cast<IdleCause>(CausesBySize(sum.by)[0]);
  const int64_t steps = view.device_steps();
  const auto amount = [&](Ps time) { return report::TimeText(steps == 0 ? time : time / steps); };
  std::string text = fmt::format("Idle {}{} ({:.1f} %): ", amount(sum.idle), steps == 0 ? "" : " a step",
                                 Percent(sum.idle, sum.window));
  text += fmt::format("{} {}", amount(sum.by[Index(cause)]), Phrase(cause));
  const std::string_view culprit = IsHostLate(cause) ? Culprit(hosts, cause) : std::string_view();
  return culprit.empty() ? text + "." : fmt::format("{}, in {}.", text, culprit);
}

}  // namespace

report::Document IdleDocument(const RunView& view, std::optional<IdleCause> cause) {
  report::Document document = NewDocument("idle", *view.run);
  std::vector<HostIdle> hosts;
  std::vector<HostLaunches> launches;
  for (const HostView& host : view.hosts) {
    hosts.push_back(FindIdle(host));
    launches.push_back({&host, FindLaunches(host, host.work)});
  }
  const Totals sum = Sum(hosts);
  document.answer = Answer(view, hosts, sum);
  document.tables =
      TablesOf(CausesTable(sum, view.device_steps()), GapsTable(hosts, sum, view.device_count(), cause),
               LengthsTable(sum, view.device_steps()), LaunchesTable(launches), QueueTable(launches),
               StepsTable(hosts));
  document.main_table = cause ? "idle_gaps" : "idle";
  if (!cause) document.cut_table = "idle_gaps";
  if (view.run->typed != "-") document.next = {Command("path", *view.run), Command("host", *view.run)};
  return document;
}

}  // namespace gait::analyze

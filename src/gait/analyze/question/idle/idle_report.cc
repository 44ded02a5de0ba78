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
  Table table =
      NewTable("idle", "why",
               {{"cause", Type::kText, unit::kNone, {}, "the cause's stable name, as --cause takes it"},
                {"why", Type::kText, unit::kNone, {.elastic = true}, "the cause in words"},
                {"per_step",
                 Type::kInteger,
                 unit::kPs,
                 {.head = "a step", .optional = true},
                 "idle time of this cause in a step, on one device"},
                {"idle",
                 Type::kInteger,
                 unit::kPs,
                 {.head = "total", .hidden = device_steps > 0},
                 "idle time of this cause, all devices and steps"},
                {"of_idle", Type::kNumber, unit::kPercent, {.head = "of idle"}, "share of all idle time"},
                {"of_time",
                 Type::kNumber,
                 unit::kPercent,
                 {.head = "of time"},
                 "share of the devices' time: of the step where there are steps"},
                {"gaps", Type::kInteger, unit::kNone, {}, "gaps that this cause has the largest part of"}});
  table.if_empty = sum.window == Ps() ? "no device did anything in this capture"
                                      : "no idle time: something ran on the device all the time";
  for (const size_t c : CausesBySize(sum.by)) {
    if (sum.by[c] == Ps()) continue;
    const auto cause = static_cast<IdleCause>(c);
    table.rows.push_back({Name(cause), Describe(cause), PerStep(sum.by[c], device_steps), sum.by[c],
                          Percent(sum.by[c], sum.idle), Percent(sum.by[c], sum.window), sum.gaps[c]});
  }
  return table;
}

std::string_view Text(const Trace& trace, StringId id) {
  return id.valid() ? trace.text(id) : std::string_view();
}
Cell TextOr(std::string_view text, const char* why) { return text.empty() ? Cell(Unknown{why}) : Cell(text); }

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
Cell HostDid(const HostView& host, const HostScene& scene) {
  std::string text;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) text += fmt::format("{}{}", text.empty() ? "" : " · ", name);
  };
  const Trace& trace = host.trace();
  if (!IsStep(host, Text(trace, scene.annotation))) add(Text(trace, scene.annotation));
  add(Text(trace, scene.runtime));
  add(Text(trace, scene.python));
  if (text.empty()) add(Text(trace, scene.annotation));
  return TextOr(text, "nothing recorded of the host covers half of it");
}

std::vector<Column> GapColumns(bool one_host, bool one_device) {
  const auto hidden_text = [](std::string name, std::string_view about) {
    return Column{std::move(name), Type::kText, unit::kNone, {.hidden = true}, about};
  };
  return {
      {"host", Type::kText, unit::kNone, {.hidden = one_host, .elastic = true}, "host of the device"},
      {"device", Type::kText, unit::kNone, {.hidden = one_device}, "the device that was idle"},
      {"step", Type::kInteger, unit::kNone, {.identifier = true, .optional = true}, "the step it lies in"},
      {"begin", Type::kInteger, unit::kPs, {.head = "at"}, "when the gap began, from the capture's begin"},
      {"duration", Type::kInteger, unit::kPs, {.head = "idle"}, "how long the device was idle"},
      {"cause", Type::kText, unit::kNone, {}, "the cause of most of the gap"},
      {"host_did",
       Type::kText,
       unit::kNone,
       {.head = "the host did", .elastic = true},
       "annotation, call of the runtime and Python function that cover at least half of the gap"},
      {"ended_by",
       Type::kText,
       unit::kNone,
       {.head = "ended by", .elastic = true},
       "the operation that ends it"},
      hidden_text("annotation", "the innermost annotation that covers half of the gap"),
      hidden_text("python", "the same of Python functions; needs the Python tracer"),
      hidden_text("runtime",
                  "the same of calls of the runtime, on the thread that launched what ends the gap"),
      hidden_text("thread", "the thread that launched what ends the gap"),
      {"launch", Type::kInteger, unit::kPs, {.hidden = true}, "when the call that launched it began"}};
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
  Table table = NewTable("idle_gaps", "cause", GapColumns(hosts.size() == 1, device_count == 1));
  for (size_t c = 0; c < kIdleCauses; ++c) {
    const std::string name(Name(static_cast<IdleCause>(c)));
    table.columns.push_back({"by_" + name,
                             Type::kInteger,
                             unit::kPs,
                             {.head = "of it " + name, .hidden = !cause || c != Index(*cause)},
                             "the part of the gap that has this cause"});
  }
  table.text_rows = kTextGaps;
  table.if_empty = cause ? NoGapOf(*cause, sum) : "no gap";
  struct Listed {
    const HostIdle* host;
    const DeviceIdle* device;
    const IdleGap* gap;
  };
  std::vector<Listed> listed;
  for (const HostIdle& host : hosts) {
    for (const DeviceIdle& device : host.devices) {
      for (const std::vector<IdleGap>* gaps : {&device.longest, &device.shorter}) {
        for (const IdleGap& gap : *gaps) {
          if (!cause || gap.by[Index(*cause)] > Ps()) listed.push_back({&host, &device, &gap});
        }
      }
    }
  }
  std::ranges::stable_sort(listed, std::greater(), [&](const Listed& l) {
    return std::pair(cause ? l.gap->by[Index(*cause)] : Ps(), l.gap->time.length());
  });
  for (const auto& [host, device, gap] : listed) {
    const Trace& trace = host->view->trace();
    const auto call_begin = [&] {
      return gap->call.track.valid() ? Cell(trace.track(gap->call.track).begin(gap->call.index))
                                     : Cell(Unknown{kNoCall});
    };
    Row row = {host->view->host->name,
               device->device->name,
               gap->step != nullptr ? Cell(gap->step->number) : Cell(Unknown{"outside of steps"}),
               gap->time.begin,
               gap->time.length(),
               Name(gap->cause),
               HostDid(*host->view, gap->scene),
               TextOr(WorkName(trace, gap->ended_by), "nothing follows"),
               TextOr(Text(trace, gap->scene.annotation), "no annotation covers half of it"),
               TextOr(Text(trace, gap->scene.python),
                      "no Python function covers half of it, or the Python tracer was off"),
               TextOr(Text(trace, gap->scene.runtime), "no call of the runtime covers half of it"),
               gap->call.track.valid() ? Cell(TrackName(trace, trace.track(gap->call.track)))
                                       : Cell(Unknown{kNoCall}),
               call_begin()};
    for (const Ps part : gap->by) row.emplace_back(part);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table LengthsTable(const Totals& sum, int64_t device_steps) {
  Table table =
      NewTable("gap_lengths", "length",
               {{"length", Type::kText, unit::kNone, {.head = "gaps of"}, "how long the gaps are"},
                {"gaps", Type::kInteger, unit::kNone, {.head = "number"}, "how many there are"},
                {"idle", Type::kInteger, unit::kPs, {.head = "total"}, "their idle time"},
                {"per_step",
                 Type::kInteger,
                 unit::kPs,
                 {.head = "a step", .optional = true},
                 "their idle time in a step, on one device"},
                {"of_idle", Type::kNumber, unit::kPercent, {.head = "of idle"}, "share of all idle time"}});
  constexpr std::array<std::string_view, std::size(kGapLimits)> kNames = {"less than 10 µs", "10 to 100 µs",
                                                                          "100 µs to 1 ms", "1 ms or more"};
  for (size_t c = 0; c < kNames.size(); ++c) {
    if (sum.idle == Ps()) break;
    table.rows.push_back({kNames[c], sum.lengths[c].gaps, sum.lengths[c].time,
                          PerStep(sum.lengths[c].time, device_steps),
                          Percent(sum.lengths[c].time, sum.idle)});
  }
  return table;
}

Table StepsTable(const std::vector<HostIdle>& hosts) {
  Table table = NewTable("idle_steps", "step",
                         {{"host", Type::kText, unit::kNone, {}, "host of the device"},
                          {"device", Type::kText, unit::kNone, {}, "the device"},
                          {"step", Type::kInteger, unit::kNone, {.identifier = true}, "the step"},
                          {"step_time", Type::kInteger, unit::kPs, {}, "how long it took on the device"},
                          {"idle", Type::kInteger, unit::kPs, {}, "idle time of the device in it"}});
  for (size_t c = 0; c < kIdleCauses; ++c) {
    table.columns.push_back({std::string(Name(static_cast<IdleCause>(c))),
                             Type::kInteger,
                             unit::kPs,
                             {},
                             "idle time of this cause; the causes sum to idle"});
  }
  table.hidden = true;
  for (const HostIdle& host : hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) {
      for (const DeviceIdle::OfStep& of : host.devices[d].steps) {
        Row row = {host.view->host->name, host.view->devices[d].name, of.step->number,
                   of.step->time[d].length(), of.idle};
        for (const Ps part : of.by) row.emplace_back(part);
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
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

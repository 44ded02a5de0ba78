#include "gait/analyze/question/collectives/collectives_tables.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

using Context = CollectivesContext;

// A sum over devices, per device and step.
TimeCell PerStep(const Context& context, Ps sum) {
  return analyze::PerStep(sum, context.result.device_steps);
}
// A sum over executions, per step.
TimeCell PerStep(const Context& context, std::optional<Ps> sum, const std::string& why) {
  if (!sum) return Unknown{why};
  return analyze::PerStep(*sum, context.result.steps);
}
NumberCell ShareOf(double part, double whole, const char* why) {
  if (whole <= 0) return Unknown{why};
  return 100 * part / whole;
}

// Why waiting and skew of a collective are not known.
std::string WhyAlone(const Context& context, const CollectiveOperation& operation,
                     const CollectiveStats& stats) {
  if (context.view.narrowed()) return "it needs all devices of the group: leave --device and --host out";
  if (!operation.members_known && !operation.unknown_because.empty()) return operation.unknown_because;
  if (stats.incomplete > 0) return "no execution is in the capture on all devices";
  return "the capture holds one device of each group";
}

std::string GroupText(const CollectiveOperation& operation) {
  if (operation.groups <= 1) return std::to_string(operation.group_size);
  return fmt::format("{} × {}", operation.groups, operation.group_size);
}

// Programs often have collectives of one name: then it takes the program to tell which one is meant.
bool HasRepeatedNames(const Context& context) {
  std::set<std::string_view> names;
  return std::ranges::any_of(context.result.collectives, [&](const CollectiveStats& stats) {
    return !names.insert(context.result.found.operations[stats.operation].name).second;
  });
}

constexpr const char* kAboutCollective = "the HLO instruction, or the kernel where none is known";
constexpr const char* kAboutDeviceHost = "the host of the device";
constexpr const char* kAboutWaitPerStep =
    "exposed time beyond that of the device that waited least in an execution, sum over executions, per step";
constexpr const char* kOfNoProgram = "it belongs to no program";

struct Collective {
  const CollectiveStats& stats;
  const CollectiveOperation& of;
  std::string alone;  // why waiting and skew are not known

  const std::string& WhyNoBandwidth() const { return stats.time ? of.unknown_because : alone; }
};

// What a device did in its collectives.
struct Met {
  const CollectiveDeviceStats& stats;
  const RunDevice& device;
  uint64_t last;
  Ps skew_caused;
  int64_t steps;

  template <typename T>
  CellOf<T> OfMeetings(CellOf<T> cell) const {
    return stats.executions > 0 ? std::move(cell) : Unknown{"the capture does not tell which device it met"};
  }
};

void AddGroup(TableOf<Collective>& t) {
  using C = Collective;
  t.Add("collective", {.elastic = true}, kAboutCollective, [](const C& c) { return c.of.name; });
  t.Add("kind", {.elastic = true}, "what kind of collective it is",
        [](const C& c) { return Name(c.of.kind); });
  t.Add("group", {.optional = true}, "devices that execute it together; 4 × 2: four groups of two",
        [](const C& c) -> TextCell {
          if (c.of.group_size == 0) return Unknown{c.of.unknown_because};
          return GroupText(c.of);
        });
  t.Hidden("group_size", "devices of one group", [](const C& c) -> CellOf<int64_t> {
    if (c.of.group_size == 0) return Unknown{c.of.unknown_because};
    return c.of.group_size;
  });
  t.Add("executions", {.head = "count", .hidden = true},
        "how often it ran, counted once for all devices of a group",
        [](const C& c) { return c.stats.executions; });
  t.Add("message_bytes", unit::kBytes, {.head = "size"},
        "bytes of its operands on one device; of a reduce-scatter one device's share, as NCCL counts",
        [](const C& c) { return OrUnknown(c.of.message_bytes, c.of.unknown_because); });
}

void AddTimes(TableOf<Collective>& t, const Context& context) {
  using C = Collective;
  const bool steps = context.has_steps();
  t.Time(
      "time",
      "time on the fastest device, which has no waiting in it: median over executions. Where it is not known "
      "which devices meet: of the device that is fastest by itself",
      [](const C& c) { return OrUnknown(c.stats.time, c.alone); });
  t.Time("time_mean", {.hidden = true}, "the same as time, mean over executions",
         [](const C& c) { return OrUnknown(c.stats.mean, c.alone); });
  t.Hidden("algorithm_bandwidth", unit::kBytesPerSecond, "message times size factor, divided by time",
           [](const C& c) { return OrUnknown(c.stats.algorithm_bandwidth, c.WhyNoBandwidth()); });
  t.Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
         "time per step in which the device computed nothing meanwhile, mean over devices",
         [&](const C& c) { return PerStep(context, c.stats.exposed); });
  t.Time("exposed", {.head = "exposed in all", .hidden = steps},
         "exposed time, sum over all executions and devices", [](const C& c) { return c.stats.exposed; });
  t.Time("hidden", {.hidden = true}, "time under compute of the same device, sum as for exposed",
         [](const C& c) { return c.stats.hidden; });
  t.Time("wait_per_step", {.head = "max wait", .hidden = !steps, .optional = true},
         "largest less smallest exposed time over the devices of an execution, sum per step: how long the "
         "device "
         "waited that waited longest",
         [&](const C& c) { return PerStep(context, c.stats.wait, c.alone); });
  t.Time("wait", {.head = "max wait", .hidden = steps, .optional = true}, "the same, sum over all executions",
         [](const C& c) { return OrUnknown(c.stats.wait, c.alone); });
  t.Add("bus_bandwidth", unit::kBytesPerSecond, {.head = "bus", .optional = true},
        "algorithm bandwidth times bus factor: what the links carried, to be held against their peak",
        [](const C& c) { return OrUnknown(c.stats.bus_bandwidth, c.WhyNoBandwidth()); });
  t.Time("skew", {.optional = true},
         "latest less earliest start over the devices of an execution: median over executions",
         [](const C& c) { return OrUnknown(c.stats.skew, c.alone); });
  t.Time("largest_skew", {.hidden = true}, "the largest start skew",
         [](const C& c) { return OrUnknown(c.stats.largest_skew, c.alone); });
  t.Hidden(
      "straggler",
      "the device whose late starts make up more than half of the start skew, the latest left out; empty: no "
      "device does",
      [&](const C& c) {
        const LateStarts& late = c.stats.late;
        if (late.device) return context.DeviceText(*late.device);
        return late.host ? context.HostName(*late.host) : std::string();
      });
  t.Hidden("starts_last", unit::kPercent, "in how many executions the straggler starts last",
           [](const C& c) -> NumberCell {
             const LateStarts& late = c.stats.late;
             if (!late.device) return Unknown{"no device is the straggler"};
             return 100 * late.share_last(*late.device);
           });
}

}  // namespace

std::string CollectivesContext::DeviceText(size_t device) const {
  const RunDevice& d = result.found.devices[device];
  return view.hosts.size() > 1 ? fmt::format("{} {}", HostName(d.host), d.name) : d.name;
}

std::string CollectivesContext::OperationText(const CollectiveOperation& operation) const {
  const auto has_name = [&](const CollectiveStats& stats) {
    return result.found.operations[stats.operation].name == operation.name;
  };
  if (!operation.program_id || std::ranges::count_if(result.collectives, has_name) < 2) return operation.name;
  return fmt::format("{} of {}({})", operation.name, operation.program, *operation.program_id);
}

Table CollectivesTable(const Context& context) {
  using C = Collective;
  const CollectiveExecutions& found = context.result.found;
  TableOf<C> t({.name = "collectives", .text_rows = 20, .key = "collective"});
  AddGroup(t);
  AddTimes(t, context);
  t.Add("program", {.hidden = !HasRepeatedNames(context), .elastic = true, .optional = true},
        "the program it belongs to", [](const C& c) { return c.of.program; });
  AddProgramId(t, [](const C& c) { return OrUnknown(c.of.program_id, kOfNoProgram); });
  t.Hidden("scope", "the scope path of the instruction", [](const C& c) { return c.of.scope; });
  t.Hidden("source", "the source line of the instruction", [](const C& c) { return c.of.source; });
  t.Hidden("devices", "devices of the capture that executed it", [](const C& c) { return c.stats.devices; });
  t.Hidden("incomplete", "executions that are not in the capture on all devices: not in time, wait and skew",
           [](const C& c) { return c.stats.incomplete; });
  t.Hidden("matched_by", "how executions on different devices were matched: by run id or by their order",
           [&](const C& c) { return found.by_run[c.stats.operation] ? "run id" : "order"; });
  for (const CollectiveStats& stats : context.result.collectives) {
    const CollectiveOperation& operation = found.operations[stats.operation];
    t.Row({stats, operation, WhyAlone(context, operation, stats)});
  }
  return t.Done();
}

Table CollectiveKindsTable(const Context& context) {
  using Kind = CollectiveKindStats;
  const bool steps = context.has_steps();
  const std::string alone = "no execution is in the capture on two devices that belong together";
  TableOf<Kind> t({.name = "collective_kinds", .key = "kind"});
  t.Add("kind", "what kind of collective", [](const Kind& kind) { return Name(kind.kind); });
  t.Add("collectives", "how many different ones", &Kind::operations);
  t.Add("executions", {.head = "count"}, "how often they ran, once for all devices of a group",
        &Kind::executions);
  t.Add("bytes_per_step", unit::kBytes, {.head = "size/step", .optional = true},
        "messages of one device per step", [&](const Kind& kind) -> NumberCell {
          if (!kind.bytes) return Unknown{"the message of one of them is not known"};
          if (!steps) return Unknown{kNoSteps};
          return *kind.bytes / static_cast<double>(context.result.device_steps);
        });
  t.Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
         "time per step in which the device computed nothing meanwhile, mean over devices",
         [&](const Kind& kind) { return PerStep(context, kind.exposed); });
  t.Time("hidden_per_step", {.head = "hidden", .hidden = !steps},
         "time per step under compute of the same device, mean over devices",
         [&](const Kind& kind) { return PerStep(context, kind.hidden); });
  t.Time("wait_per_step", {.head = "max wait", .hidden = !steps, .optional = true},
         "largest less smallest exposed time over the devices of an execution, sum per step",
         [&](const Kind& kind) { return PerStep(context, kind.wait, alone); });
  t.Time("exposed", {.head = "exposed in all", .hidden = steps},
         "exposed time, sum over devices; what overlaps counts once", &Kind::exposed);
  t.Time("hidden", {.head = "hidden in all", .hidden = steps},
         "hidden time, sum over devices; what overlaps counts once", &Kind::hidden);
  t.Time("wait", {.head = "max wait", .hidden = steps, .optional = true}, "the same, sum over all executions",
         [&](const Kind& kind) { return OrUnknown(kind.wait, alone); });
  return t.Of(context.result.kinds);
}

Table CollectiveDevicesTable(const Context& context) {
  const CollectivesResult& result = context.result;
  const bool steps = context.has_steps();
  TableOf<Met> t({.name = "collective_devices", .text_rows = 20, .key = "device"});
  t.Add("host", HostShow(context.view.hosts.size() == 1), kAboutDeviceHost,
        [&](const Met& met) { return context.HostName(met.device.host); });
  t.Add("device", "the device", [](const Met& met) { return met.device.name; });
  t.Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
         "time per step in communication while the device computed nothing",
         [](const Met& met) { return analyze::PerStep(met.stats.exposed, met.steps); });
  t.Time("hidden_per_step", {.head = "hidden", .hidden = !steps},
         "time per step in communication while the device computed",
         [](const Met& met) { return analyze::PerStep(met.stats.hidden, met.steps); });
  t.Time("wait_per_step", {.head = "waited", .hidden = !steps}, kAboutWaitPerStep,
         [](const Met& met) { return met.OfMeetings(analyze::PerStep(met.stats.waited, met.steps)); });
  t.Time("exposed", {.hidden = steps}, "exposed time over all that the report covers",
         [](const Met& met) { return met.stats.exposed; });
  t.Time("hidden", {.hidden = steps}, "hidden time over all that the report covers",
         [](const Met& met) { return met.stats.hidden; });
  t.Time("wait", {.head = "waited", .hidden = steps}, "waited time over all that the report covers",
         [](const Met& met) { return met.OfMeetings<Ps>(met.stats.waited); });
  t.Percent("exposed_share", {.head = "exposed"}, "exposed time as a share of the time covered",
            [](const Met& met) {
              return ShareOf(static_cast<double>(met.stats.exposed.value()),
                             static_cast<double>(met.stats.window.value()),
                             "the report covers no time of the device");
            });
  t.Hidden("executions", "executions in which it met other devices of the capture",
           [](const Met& met) { return met.stats.executions; });
  t.Hidden("starts_last", "in how many executions it started last",
           [](const Met& met) { return met.OfMeetings<uint64_t>(met.last); });
  t.Percent("starts_last_share", {.head = "last"},
            "the same as a share of the executions in which it met others", [](const Met& met) {
              return met.OfMeetings<double>(100 * static_cast<double>(met.last) /
                                            static_cast<double>(std::max<uint64_t>(met.stats.executions, 1)));
            });
  t.Add("skew_caused", {.head = "skew caused", .optional = true},
        "start skew of the executions in which it started last, sum",
        [](const Met& met) { return met.OfMeetings<Ps>(met.skew_caused); });
  for (size_t d = 0; d < result.devices.size(); ++d) {
    const RunDevice& device = result.found.devices[d];
    t.Row({result.devices[d], device, result.late.last[d], result.late.skew_of[d],
           context.view.hosts[device.host].steps});
  }
  return t.Done();
}

Table CollectiveMatrixTable(const Context& context) {
  struct Meeting {
    const CollectiveStats& stats;
    const CollectiveOperation& of;
    const RunDevice& device;
    size_t index;
  };
  using M = Meeting;
  const bool repeated = HasRepeatedNames(context);
  TableOf<M> t({.name = "collective_matrix", .hidden = true, .key = "collective"});
  t.Add("collective", {.elastic = true}, kAboutCollective, [](const M& m) { return m.of.name; });
  t.Add("program", {.hidden = !repeated, .elastic = true}, "the program it belongs to",
        [](const M& m) { return m.of.program; });
  t.Add("program_id", {.hidden = !repeated, .identifier = true}, "the program's id",
        [](const M& m) { return OrUnknown(m.of.program_id, kOfNoProgram); });
  t.Add("host", HostShow(context.view.hosts.size() == 1), kAboutDeviceHost,
        [&](const M& m) { return context.HostName(m.device.host); });
  t.Add("device", "a device that met others in it", [](const M& m) { return m.device.name; });
  t.Time("wait_per_step", {.head = "waited", .hidden = !context.has_steps()}, kAboutWaitPerStep,
         [&](const M& m) {
           return analyze::PerStep(m.stats.waited[m.index], context.view.hosts[m.device.host].steps);
         });
  t.Time("wait", {.head = "waited", .hidden = context.has_steps()},
         "the same, over all that the report covers", [](const M& m) { return m.stats.waited[m.index]; });
  t.Add("executions", "executions in which it met other devices of the capture",
        [](const M& m) { return m.stats.executions_on[m.index]; });
  t.Add("starts_last", "in how many of them it started last",
        [](const M& m) { return m.stats.late.last[m.index]; });
  for (const CollectiveStats& stats : context.result.collectives) {
    for (size_t d = 0; d < stats.executions_on.size(); ++d) {
      if (stats.executions_on[d] == 0) continue;
      t.Row({stats, context.result.found.operations[stats.operation], context.result.found.devices[d], d});
    }
  }
  return t.Done();
}

Table AlignmentTable(const Context& context) {
  const CollectivesResult& result = context.result;
  struct Clock {
    const RunDevice& device;
    const ClockOffset& clock;
  };
  constexpr const char* kNone = "it ends no collective together with another device of the capture";
  TableOf<Clock> t(
      {.name = "alignment", .hidden = context.view.hosts.size() == 1, .text_rows = 20, .key = "device"});
  t.Add("host", {.elastic = true}, kAboutDeviceHost,
        [&](const Clock& c) { return context.HostName(c.device.host); });
  t.Add("device", "the device", [](const Clock& c) { return c.device.name; });
  const auto known = [](Ps ClockOffset::* member) {
    return [member](const Clock& c) -> TimeCell {
      if (c.clock.samples == 0) return Unknown{kNone};
      return c.clock.*member;
    };
  };
  t.Time("offset", {.head = "clock"},
         "how much later its clock reads than that of the first device, by the ends of collectives",
         known(&ClockOffset::offset));
  t.Time("spread", "median distance of single collectives from the offset: how far to trust it",
         known(&ClockOffset::spread));
  t.Add("samples", "executions that the offset rests on", [](const Clock& c) { return c.clock.samples; });
  t.Time("applied",
         "what was subtracted from the host's times for start skew: one value per host, 0 for the first",
         [&](const Clock& c) -> TimeCell {
           if (!result.hosts[c.device.host].aligned) return Unknown{kNone};
           return result.hosts[c.device.host].shift;
         });
  for (size_t d = 0; d < result.clocks.size(); ++d) t.Row({result.found.devices[d], result.clocks[d]});
  return t.Done();
}

}  // namespace gait::analyze

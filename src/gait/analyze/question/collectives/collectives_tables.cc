#include "gait/analyze/question/collectives/collectives_tables.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include "gait/analyze/run/tables.h"

namespace gait::analyze {
namespace {

using Context = CollectivesContext;

Column Text(const char* name, Show show, std::string_view about) {
  return {name, Type::kText, unit::kNone, std::move(show), about};
}
Column Count(const char* name, Show show, std::string_view about) {
  return {name, Type::kInteger, unit::kNone, std::move(show), about};
}
Column Share(const char* name, Show show, std::string_view about) {
  return {name, Type::kNumber, unit::kPercent, std::move(show), about};
}
// Times of a table are shown in one unit.
Column Time(const char* name, Show show, std::string_view about) {
  show.group = "time";
  return {name, Type::kInteger, unit::kPs, std::move(show), about};
}

// A sum over devices, per device and step.
Cell PerStep(const Context& context, Ps sum) {
  return context.has_steps() ? Cell(sum / context.result.device_steps) : Cell(Unknown{kNoSteps});
}
// A sum over executions, per step.
Cell PerStep(const Context& context, std::optional<Ps> sum, const std::string& why) {
  if (!sum) return Unknown{why};
  return context.result.steps > 0 ? Cell(*sum / context.result.steps) : Cell(Unknown{kNoSteps});
}
template <typename T>
Cell Known(const std::optional<T>& value, const std::string& why) {
  return value ? Cell(*value) : Cell(Unknown{why});
}
Cell ShareOf(double part, double whole, const char* why) {
  return whole > 0 ? Cell(100 * part / whole) : Cell(Unknown{why});
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

Cell ProgramId(const CollectiveOperation& operation) {
  return operation.program_id ? Cell(*operation.program_id) : Cell(Unknown{"it belongs to no program"});
}

// Programs often have collectives of one name: then it takes the program to tell which one is meant.
bool HasRepeatedNames(const Context& context) {
  std::set<std::string_view> names;
  return std::ranges::any_of(context.result.collectives, [&](const CollectiveStats& stats) {
    return !names.insert(context.result.found.operations[stats.operation].name).second;
  });
}

std::vector<Column> CollectiveColumns(const Context& context) {
  const bool steps = context.has_steps();
  return {
      Text("collective", {.elastic = true}, "the HLO instruction, or the kernel where none is known"),
      Text("kind", {.elastic = true}, "what kind of collective it is"),
      Text("group", {.optional = true}, "devices that execute it together; 4 × 2: four groups of two"),
      Count("group_size", {.hidden = true}, "devices of one group"),
      Count("executions", {.head = "count", .hidden = true},
            "how often it ran, counted once for all devices of a group"),
      {"message_bytes",
       Type::kInteger,
       unit::kBytes,
       {.head = "size"},
       "bytes of its operands on one device; of a reduce-scatter one device's share, as NCCL counts"},
      Time("time", {},
           "time on the fastest device, which has no waiting in it: median over executions. Where it is not "
           "known which devices meet: of the device that is fastest by itself"),
      Time("time_mean", {.hidden = true}, "the same as time, mean over executions"),
      {"algorithm_bandwidth",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.hidden = true},
       "message times size factor, divided by time"},
      Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
           "time per step in which the device computed nothing meanwhile, mean over devices"),
      Time("exposed", {.head = "exposed in all", .hidden = steps},
           "exposed time, sum over all executions and devices"),
      Time("hidden", {.hidden = true}, "time under compute of the same device, sum as for exposed"),
      Time("wait_per_step", {.head = "max wait", .hidden = !steps, .optional = true},
           "largest less smallest exposed time over the devices of an execution, sum per step: how long the "
           "device waited that waited longest"),
      Time("wait", {.head = "max wait", .hidden = steps, .optional = true},
           "the same, sum over all executions"),
      {"bus_bandwidth",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.head = "bus", .optional = true},
       "algorithm bandwidth times bus factor: what the links carried, to be held against their peak"},
      Time("skew", {.optional = true},
           "latest less earliest start over the devices of an execution: median over executions"),
      Time("largest_skew", {.hidden = true}, "the largest start skew"),
      Text("straggler", {.hidden = true},
           "the device whose late starts make up more than half of the start skew, the latest left out; "
           "empty: no device does"),
      Share("starts_last", {.hidden = true}, "in how many executions the straggler starts last"),
      Text("program", {.hidden = !HasRepeatedNames(context), .elastic = true, .optional = true},
           "the program it belongs to"),
      ProgramIdColumn(),
      Text("scope", {.hidden = true}, "the scope path of the instruction"),
      Text("source", {.hidden = true}, "the source line of the instruction"),
      Count("devices", {.hidden = true}, "devices of the capture that executed it"),
      Count("incomplete", {.hidden = true},
            "executions that are not in the capture on all devices: not in time, wait and skew"),
      Text("matched_by", {.hidden = true},
           "how executions on different devices were matched: by run id or by their order")};
}

Row CollectiveRow(const Context& context, const CollectiveStats& stats) {
  const CollectivesResult& result = context.result;
  const CollectiveOperation& operation = result.found.operations[stats.operation];
  const std::string alone = WhyAlone(context, operation, stats);
  const std::string& why = operation.unknown_because;
  const auto& straggler = stats.late.device;
  const bool known_group = operation.group_size > 0;
  return {
      operation.name,
      Name(operation.kind),
      known_group ? Cell(GroupText(operation)) : Cell(Unknown{why}),
      known_group ? Cell(operation.group_size) : Cell(Unknown{why}),
      stats.executions,
      Known(operation.message_bytes, why),
      Known(stats.time, alone),
      Known(stats.mean, alone),
      Known(stats.algorithm_bandwidth, stats.time ? why : alone),
      PerStep(context, stats.exposed),
      stats.exposed,
      stats.hidden,
      PerStep(context, stats.wait, alone),
      Known(stats.wait, alone),
      Known(stats.bus_bandwidth, stats.time ? why : alone),
      Known(stats.skew, alone),
      Known(stats.largest_skew, alone),
      straggler         ? context.DeviceText(*straggler)
      : stats.late.host ? context.HostName(*stats.late.host)
                        : "",
      straggler ? Cell(100 * stats.late.share_last(*straggler)) : Cell(Unknown{"no device is the straggler"}),
      operation.program,
      ProgramId(operation),
      operation.scope,
      operation.source,
      stats.devices,
      stats.incomplete,
      result.found.by_run[stats.operation] ? "run id" : "order"};
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
  Table table;
  table.name = "collectives";
  table.key = "collective";
  table.text_rows = 20;
  table.columns = CollectiveColumns(context);
  for (const CollectiveStats& stats : context.result.collectives)
    table.rows.push_back(CollectiveRow(context, stats));
  return table;
}

Table CollectiveKindsTable(const Context& context) {
  const bool steps = context.has_steps();
  Table table;
  table.name = "collective_kinds";
  table.key = "kind";
  table.columns = {
      Text("kind", {}, "what kind of collective"),
      Count("collectives", {}, "how many different ones"),
      Count("executions", {.head = "count"}, "how often they ran, once for all devices of a group"),
      {"bytes_per_step",
       Type::kNumber,
       unit::kBytes,
       {.head = "size/step", .optional = true},
       "messages of one device per step"},
      Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
           "time per step in which the device computed nothing meanwhile, mean over devices"),
      Time("hidden_per_step", {.head = "hidden", .hidden = !steps},
           "time per step under compute of the same device, mean over devices"),
      Time("wait_per_step", {.head = "max wait", .hidden = !steps, .optional = true},
           "largest less smallest exposed time over the devices of an execution, sum per step"),
      Time("exposed", {.head = "exposed in all", .hidden = steps},
           "exposed time, sum over devices; what overlaps counts once"),
      Time("hidden", {.head = "hidden in all", .hidden = steps},
           "hidden time, sum over devices; what overlaps counts once"),
      Time("wait", {.head = "max wait", .hidden = steps, .optional = true},
           "the same, sum over all executions")};
  const std::string alone = "no execution is in the capture on two devices that belong together";
  for (const CollectiveKindStats& kind : context.result.kinds) {
    Cell bytes = Unknown{kNoSteps};
    if (!kind.bytes) bytes = Unknown{"the message of one of them is not known"};
    if (kind.bytes && steps) bytes = *kind.bytes / static_cast<double>(context.result.device_steps);
    table.rows.push_back({Name(kind.kind), kind.operations, kind.executions, bytes,
                          PerStep(context, kind.exposed), PerStep(context, kind.hidden),
                          PerStep(context, kind.wait, alone), kind.exposed, kind.hidden,
                          Known(kind.wait, alone)});
  }
  return table;
}

Table CollectiveDevicesTable(const Context& context) {
  const bool steps = context.has_steps();
  Table table;
  table.name = "collective_devices";
  table.key = "device";
  table.text_rows = 20;
  table.columns = {
      Text("host", {.hidden = context.view.hosts.size() == 1, .elastic = true}, "the host of the device"),
      Text("device", {}, "the device"),
      Time("exposed_per_step", {.head = "exposed", .hidden = !steps},
           "time per step in communication while the device computed nothing"),
      Time("hidden_per_step", {.head = "hidden", .hidden = !steps},
           "time per step in communication while the device computed"),
      Time("wait_per_step", {.head = "waited", .hidden = !steps},
           "exposed time beyond that of the device that waited least in an execution, sum over executions, "
           "per "
           "step"),
      Time("exposed", {.hidden = steps}, "exposed time over all that the report covers"),
      Time("hidden", {.hidden = steps}, "hidden time over all that the report covers"),
      Time("wait", {.head = "waited", .hidden = steps}, "waited time over all that the report covers"),
      Share("exposed_share", {.head = "exposed"}, "exposed time as a share of the time covered"),
      Count("executions", {.hidden = true}, "executions in which it met other devices of the capture"),
      Count("starts_last", {.hidden = true}, "in how many executions it started last"),
      Share("starts_last_share", {.head = "last"},
            "the same as a share of the executions in which it met others"),
      {"skew_caused",
       Type::kInteger,
       unit::kPs,
       {.head = "skew caused", .optional = true},
       "start skew of the executions in which it started last, sum"}};
  const CollectivesResult& result = context.result;
  for (size_t d = 0; d < result.devices.size(); ++d) {
    const CollectiveDeviceStats& stats = result.devices[d];
    const RunDevice& device = result.found.devices[d];
    const int64_t count = context.view.hosts[device.host].steps;
    const auto per_step = [&](Ps sum) { return count > 0 ? Cell(sum / count) : Cell(Unknown{kNoSteps}); };
    const char* const alone = "the capture does not tell which device it met";
    const auto of_meetings = [&](const Cell& cell) {
      return stats.executions > 0 ? cell : Cell(Unknown{alone});
    };
    const Cell last =
        ShareOf(static_cast<double>(result.late.last[d]), static_cast<double>(stats.executions), alone);
    table.rows.push_back(
        {context.HostName(device.host), device.name, per_step(stats.exposed), per_step(stats.hidden),
         of_meetings(per_step(stats.waited)), stats.exposed, stats.hidden, of_meetings(stats.waited),
         ShareOf(static_cast<double>(stats.exposed.value()), static_cast<double>(stats.window.value()),
                 "the report covers no time of the device"),
         stats.executions, of_meetings(result.late.last[d]), last, of_meetings(result.late.skew_of[d])});
  }
  return table;
}

Table CollectiveMatrixTable(const Context& context) {
  const bool repeated = HasRepeatedNames(context);
  Table table;
  table.name = "collective_matrix";
  table.key = "collective";
  table.hidden = true;
  table.columns = {
      Text("collective", {.elastic = true}, "the HLO instruction, or the kernel where none is known"),
      Text("program", {.hidden = !repeated, .elastic = true}, "the program it belongs to"),
      Count("program_id", {.hidden = !repeated, .identifier = true}, "the program's id"),
      Text("host", {.hidden = context.view.hosts.size() == 1, .elastic = true}, "the host of the device"),
      Text("device", {}, "a device that met others in it"),
      Time("wait_per_step", {.head = "waited", .hidden = !context.has_steps()},
           "exposed time beyond that of the device that waited least in an execution, sum over executions, "
           "per "
           "step"),
      Time("wait", {.head = "waited", .hidden = context.has_steps()},
           "the same, over all that the report covers"),
      Count("executions", {}, "executions in which it met other devices of the capture"),
      Count("starts_last", {}, "in how many of them it started last")};
  for (const CollectiveStats& stats : context.result.collectives) {
    const CollectiveOperation& operation = context.result.found.operations[stats.operation];
    for (size_t d = 0; d < stats.executions_on.size(); ++d) {
      if (stats.executions_on[d] == 0) continue;
      const RunDevice& device = context.result.found.devices[d];
      const int64_t steps = context.view.hosts[device.host].steps;
      table.rows.push_back({operation.name, operation.program, ProgramId(operation),
                            context.HostName(device.host), device.name,
                            steps > 0 ? Cell(stats.waited[d] / steps) : Cell(Unknown{kNoSteps}),
                            stats.waited[d], stats.executions_on[d], stats.late.last[d]});
    }
  }
  return table;
}

Table AlignmentTable(const Context& context) {
  Table table;
  table.name = "alignment";
  table.key = "device";
  table.hidden = context.view.hosts.size() == 1;
  table.text_rows = 20;
  table.columns = {
      Text("host", {.elastic = true}, "the host of the device"),
      Text("device", {}, "the device"),
      Time("offset", {.head = "clock"},
           "how much later its clock reads than that of the first device, by the ends of collectives"),
      Time("spread", {}, "median distance of single collectives from the offset: how far to trust it"),
      Count("samples", {}, "executions that the offset rests on"),
      Time("applied", {},
           "what was subtracted from the host's times for start skew: one value per host, 0 for the first")};
  const CollectivesResult& result = context.result;
  const std::string none = "it ends no collective together with another device of the capture";
  for (size_t d = 0; d < result.clocks.size(); ++d) {
    const ClockOffset& clock = result.clocks[d];
    const size_t host = result.found.devices[d].host;
    const bool known = clock.samples > 0;
    table.rows.push_back({context.HostName(host), result.found.devices[d].name,
                          known ? Cell(clock.offset) : Cell(Unknown{none}),
                          known ? Cell(clock.spread) : Cell(Unknown{none}), clock.samples,
                          result.hosts[host].aligned ? Cell(result.hosts[host].shift) : Cell(Unknown{none})});
  }
  return table;
}

}  // namespace gait::analyze

#include "gait/analyze/collectives/collectives_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/describe.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

using report::Cell;
using report::Row;
using report::Table;
using report::Type;
using report::Unknown;
namespace unit = report::unit;

constexpr const char* kNoSteps = "the capture has no steps";

struct Context {
  const RunView& view;
  const CollectivesResult& result;

  const std::string& HostName(size_t host) const { return view.hosts[host].host->name; }
  std::string DeviceText(size_t device) const {
    const RunDevice& d = result.found.devices[device];
    return view.hosts.size() > 1 ? fmt::format("{} {}", HostName(d.host), d.name) : d.name;
  }
  bool has_steps() const { return result.device_steps > 0; }
  // A sum over devices, per device and step.
  Cell PerStep(Ps sum) const {
    return has_steps() ? Cell(sum / result.device_steps) : Cell(Unknown{kNoSteps});
  }
  // A sum over executions, per step.
  Cell PerStep(std::optional<Ps> sum, const std::string& why) const {
    if (!sum) return Unknown{why};
    return result.steps > 0 ? Cell(*sum / result.steps) : Cell(Unknown{kNoSteps});
  }
};

Cell Known(const std::optional<Ps>& time, const std::string& why) {
  return time ? Cell(*time) : Cell(Unknown{why});
}

// Why waiting and skew of a collective are not known.
std::string WhyAlone(const CollectiveOperation& operation, const CollectiveStats& stats) {
  if (!operation.members_known && !operation.unknown_because.empty()) return operation.unknown_because;
  if (stats.incomplete > 0) return "no execution is in the capture on all devices";
  return "the capture holds one device of each group";
}

std::string GroupText(const CollectiveOperation& operation) {
  if (operation.groups <= 1) return std::to_string(operation.group_size);
  return fmt::format("{} × {}", operation.groups, operation.group_size);
}

Table CollectivesTable(const Context& context) {
  const bool steps = context.has_steps();
  Table table;
  table.name = "collectives";
  table.key = "collective";
  table.text_rows = 20;
  table.columns = {
      {"collective",
       Type::kText,
       unit::kNone,
       {.elastic = true},
       "the HLO instruction, or the kernel where no instruction is known"},
      {"kind", Type::kText, unit::kNone, {.elastic = true}, "what kind of collective it is"},
      {"group",
       Type::kText,
       unit::kNone,
       {.optional = true},
       "devices that execute it together; 4 × 2: four groups of two side by side"},
      {"group_size", Type::kInteger, unit::kNone, {.hidden = true}, "devices of one group"},
      {"executions",
       Type::kInteger,
       unit::kNone,
       {.head = "count", .hidden = true},
       "how often it ran, counted once for all devices of a group"},
      {"message_bytes",
       Type::kInteger,
       unit::kBytes,
       {.head = "size"},
       "bytes of its operands on one device; of a reduce-scatter one device's share, as NCCL counts"},
      {"time",
       Type::kInteger,
       unit::kPs,
       {.group = "time"},
       "how long it took on the fastest device, whose time has no waiting in it: median over executions"},
      {"time_mean", Type::kInteger, unit::kPs, {.hidden = true}, "the same as time, mean over executions"},
      {"algorithm_bandwidth",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.hidden = true},
       "message times size factor, divided by time"},
      {"exposed_per_step",
       Type::kInteger,
       unit::kPs,
       {.head = "exposed", .hidden = !steps, .group = "time"},
       "time per step in which the device computed nothing meanwhile, mean over devices"},
      {"exposed",
       Type::kInteger,
       unit::kPs,
       {.hidden = steps, .group = "time"},
       "the same, sum over all executions and devices"},
      {"hidden",
       Type::kInteger,
       unit::kPs,
       {.hidden = true},
       "time under compute of the same device, sum over all executions and devices"},
      {"wait_per_step",
       Type::kInteger,
       unit::kPs,
       {.head = "wait", .hidden = !steps, .group = "time", .optional = true},
       "largest less smallest exposed time over the devices of an execution, sum per step"},
      {"wait",
       Type::kInteger,
       unit::kPs,
       {.hidden = steps, .group = "time", .optional = true},
       "the same, sum over all executions"},
      {"bus_bandwidth",
       Type::kNumber,
       unit::kBytesPerSecond,
       {.head = "bus", .optional = true},
       "algorithm bandwidth times bus factor: what the links carried, to be held against their peak"},
      {"skew",
       Type::kInteger,
       unit::kPs,
       {.group = "time", .optional = true},
       "latest less earliest start over the devices of an execution: median over executions"},
      {"largest_skew", Type::kInteger, unit::kPs, {.hidden = true}, "the largest start skew"},
      {"straggler",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "the device whose late starts make up more than half of the start skew; empty: no device does"},
      {"starts_last",
       Type::kNumber,
       unit::kPercent,
       {.hidden = true},
       "in how many executions the straggler starts last"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "the program it belongs to"},
      {"scope", Type::kText, unit::kNone, {.hidden = true}, "the scope path of the instruction"},
      {"source", Type::kText, unit::kNone, {.hidden = true}, "the source line of the instruction"},
      {"devices", Type::kInteger, unit::kNone, {.hidden = true}, "devices of the capture that executed it"},
      {"incomplete",
       Type::kInteger,
       unit::kNone,
       {.hidden = true},
       "executions that are not in the capture on all devices: not in time, wait and skew"},
      {"matched_by",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "how executions on different devices were matched: by run id or by their order"}};
  const CollectivesResult& result = context.result;
  for (const CollectiveStats& stats : result.collectives) {
    const CollectiveOperation& operation = result.found.operations[stats.operation];
    const std::string alone = WhyAlone(operation, stats);
    const Unknown because{operation.unknown_because};
    const auto& straggler = stats.late.device;
    table.rows.push_back(
        {operation.name,
         Name(operation.kind),
         operation.group_size > 0 ? Cell(GroupText(operation)) : Cell(because),
         operation.group_size > 0 ? Cell(operation.group_size) : Cell(because),
         stats.executions,
         operation.message_bytes ? Cell(*operation.message_bytes) : Cell(because),
         Known(stats.time, alone),
         Known(stats.mean, alone),
         stats.algorithm_bandwidth ? Cell(*stats.algorithm_bandwidth) : Cell(because),
         context.PerStep(stats.exposed),
         stats.exposed,
         stats.hidden,
         context.PerStep(stats.wait, alone),
         Known(stats.wait, alone),
         stats.bus_bandwidth ? Cell(*stats.bus_bandwidth) : Cell(because),
         Known(stats.skew, alone),
         Known(stats.largest_skew, alone),
         straggler ? context.DeviceText(*straggler) : "",
         straggler ? Cell(100 * stats.late.share_last(*straggler)) : Cell(Unknown{"no straggler"}),
         operation.program,
         operation.scope,
         operation.source,
         stats.devices,
         stats.incomplete,
         result.found.by_run[stats.operation] ? "run id" : "order"});
  }
  return table;
}

Table KindsTable(const Context& context) {
  const bool steps = context.has_steps();
  Table table;
  table.name = "collective_kinds";
  table.key = "kind";
  table.columns = {{"kind", Type::kText, unit::kNone, {}, "what kind of collective"},
                   {"collectives", Type::kInteger, unit::kNone, {}, "how many different ones"},
                   {"executions",
                    Type::kInteger,
                    unit::kNone,
                    {.head = "count"},
                    "how often they ran, counted once for all devices of a group"},
                   {"bytes_per_step",
                    Type::kNumber,
                    unit::kBytes,
                    {.head = "bytes/step", .optional = true},
                    "messages of one device per step"},
                   {"exposed_per_step",
                    Type::kInteger,
                    unit::kPs,
                    {.head = "exposed", .hidden = !steps, .group = "time"},
                    "time per step in which the device computed nothing meanwhile, mean over devices"},
                   {"hidden_per_step",
                    Type::kInteger,
                    unit::kPs,
                    {.head = "hidden", .hidden = !steps, .group = "time"},
                    "time per step under compute of the same device, mean over devices"},
                   {"wait_per_step",
                    Type::kInteger,
                    unit::kPs,
                    {.head = "wait", .hidden = !steps, .group = "time", .optional = true},
                    "largest less smallest exposed time over the devices of an execution, sum per step"},
                   {"exposed",
                    Type::kInteger,
                    unit::kPs,
                    {.hidden = steps, .group = "time"},
                    "exposed time, sum over devices; collectives of the kind that overlap count once"},
                   {"hidden",
                    Type::kInteger,
                    unit::kPs,
                    {.hidden = steps, .group = "time"},
                    "hidden time, sum over devices; collectives of the kind that overlap count once"},
                   {"wait",
                    Type::kInteger,
                    unit::kPs,
                    {.hidden = steps, .group = "time", .optional = true},
                    "waiting, sum over all executions"}};
  const std::string alone = "no execution is in the capture on two devices that belong together";
  for (const CollectiveKindStats& kind : context.result.kinds) {
    Cell bytes = Unknown{kNoSteps};
    if (!kind.bytes) bytes = Unknown{"the message of one of them is not known"};
    if (kind.bytes && context.has_steps()) {
      bytes = *kind.bytes / static_cast<double>(context.result.device_steps);
    }
    table.rows.push_back({Name(kind.kind), kind.operations, kind.executions, bytes,
                          context.PerStep(kind.exposed), context.PerStep(kind.hidden),
                          context.PerStep(kind.wait, alone), kind.exposed, kind.hidden,
                          Known(kind.wait, alone)});
  }
  return table;
}

Table DevicesTable(const Context& context) {
  const bool steps = context.has_steps();
  Table table;
  table.name = "collective_devices";
  table.key = "device";
  table.text_rows = 20;
  table.columns = {
      {"host",
       Type::kText,
       unit::kNone,
       {.hidden = context.view.hosts.size() == 1, .elastic = true},
       "the host of the device"},
      {"device", Type::kText, unit::kNone, {}, "the device"},
      {"exposed_per_step",
       Type::kInteger,
       unit::kPs,
       {.head = "exposed", .hidden = !steps, .group = "time"},
       "time per step in communication while the device computed nothing"},
      {"hidden_per_step",
       Type::kInteger,
       unit::kPs,
       {.head = "hidden", .hidden = !steps, .group = "time"},
       "time per step in communication while the device computed"},
      {"wait_per_step",
       Type::kInteger,
       unit::kPs,
       {.head = "waited", .hidden = !steps, .group = "time"},
       "exposed time beyond that of the device that waited least, sum over executions, per step"},
      {"exposed",
       Type::kInteger,
       unit::kPs,
       {.hidden = steps, .group = "time"},
       "exposed time over all that the report covers"},
      {"hidden",
       Type::kInteger,
       unit::kPs,
       {.hidden = steps, .group = "time"},
       "hidden time over all that the report covers"},
      {"wait",
       Type::kInteger,
       unit::kPs,
       {.head = "waited", .hidden = steps, .group = "time"},
       "waited time over all that the report covers"},
      {"exposed_share",
       Type::kNumber,
       unit::kPercent,
       {.head = "exposed"},
       "exposed time as a share of the time that the report covers"},
      {"executions",
       Type::kInteger,
       unit::kNone,
       {.hidden = true},
       "executions in which it met other devices of the capture"},
      {"starts_last",
       Type::kInteger,
       unit::kNone,
       {.hidden = true},
       "in how many executions it started last"},
      {"starts_last_share",
       Type::kNumber,
       unit::kPercent,
       {.head = "last"},
       "the same as a share of the executions in which it met others"},
      {"skew_caused",
       Type::kInteger,
       unit::kPs,
       {.head = "skew caused"},
       "start skew of the executions in which it started last, sum"}};
  const CollectivesResult& result = context.result;
  for (size_t d = 0; d < result.devices.size(); ++d) {
    const CollectiveDeviceStats& stats = result.devices[d];
    const HostView& host = context.view.hosts[result.found.devices[d].host];
    const auto per_step = [&](Ps sum) {
      return host.steps > 0 ? Cell(sum / host.steps) : Cell(Unknown{kNoSteps});
    };
    const auto share = [](double part, double whole, const char* why) {
      return whole > 0 ? Cell(100 * part / whole) : Cell(Unknown{why});
    };
    table.rows.push_back(
        {context.HostName(result.found.devices[d].host), result.found.devices[d].name,
         per_step(stats.exposed), per_step(stats.hidden), per_step(stats.waited), stats.exposed, stats.hidden,
         stats.waited,
         share(static_cast<double>(stats.exposed.value()), static_cast<double>(stats.window.value()),
               "the report covers no time of the device"),
         stats.executions, result.late.last[d],
         share(static_cast<double>(result.late.last[d]), static_cast<double>(stats.executions),
               "it met no other device of the capture"),
         result.late.skew_of[d]});
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
      {"host", Type::kText, unit::kNone, {.elastic = true}, "the host of the device"},
      {"device", Type::kText, unit::kNone, {}, "the device"},
      {"offset",
       Type::kInteger,
       unit::kPs,
       {.head = "clock", .group = "clock"},
       "how much later its clock reads than that of the first device, by the ends of collectives"},
      {"spread",
       Type::kInteger,
       unit::kPs,
       {.group = "clock"},
       "median distance of single collectives from the offset: how far it can be trusted"},
      {"samples", Type::kInteger, unit::kNone, {}, "executions that the offset rests on"},
      {"applied",
       Type::kInteger,
       unit::kPs,
       {.group = "clock"},
       "what was subtracted from the host's times for start skew: one value per host, 0 for the first"}};
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

// "host1 starts last in 67 %": the device, or else the host, that the others wait for; empty: too few
// executions to tell. A host is named where its late starts are spread over its devices.
std::string StragglerText(const Context& context) {
  constexpr double kOneDevice = 0.9;  // of a host's skew: then it is the device and not the host
  const LateStarts& late = context.result.late;
  if (late.executions < kFewestForStraggler) return {};
  const auto text = [&](const std::string& who, uint64_t last) {
    return fmt::format("{} starts last in {:.0f} %", who,
                       100.0 * static_cast<double>(last) / static_cast<double>(late.executions));
  };
  for (size_t h = 0; context.view.hosts.size() > 1 && h < context.view.hosts.size(); ++h) {
    double skew = 0;
    double most = 0;
    uint64_t last = 0;
    for (size_t d = 0; d < late.last.size(); ++d) {
      if (context.result.found.devices[d].host != h) continue;
      const auto own = static_cast<double>(late.skew_of[d].value());
      skew += own;
      most = std::max(most, own);
      last += late.last[d];
    }
    const bool straggles = 2 * skew > static_cast<double>(late.skew.value());
    if (straggles && most < kOneDevice * skew) return text(context.HostName(h), last);
  }
  if (late.device) return text(context.DeviceText(*late.device), late.last[*late.device]);
  return "no device is the straggler";
}

std::string Answer(const Context& context) {
  const CollectivesResult& result = context.result;
  if (result.collectives.empty()) {
    const uint64_t devices = result.devices.size();
    if (devices == 0) return "No communication: no device did any work in this capture.";
    if (devices == 1) return "No communication: one device did all the work of this capture.";
    return fmt::format("No collectives: {} did work, and none of it is communication.",
                       report::Plural(devices, "device"));
  }
  Ps exposed;
  Ps hidden;
  Ps window;
  for (const CollectiveDeviceStats& device : result.devices) {
    exposed += device.exposed;
    hidden += device.hidden;
    window += device.window;
  }
  const auto devices = static_cast<int64_t>(result.devices.size());
  const auto each = [&](Ps sum) {
    return report::TimeText(context.has_steps() ? sum / result.device_steps : sum / devices);
  };
  std::string text = fmt::format("{}{} exposed in collectives", each(exposed),
                                 context.has_steps() ? " a step" : " on each device");
  if (result.kinds.size() > 1) {
    text += fmt::format(" ({} {})", Name(result.kinds[0].kind), each(result.kinds[0].exposed));
  } else {
    text += fmt::format(" (all {})", Name(result.kinds[0].kind));
  }
  if (window > Ps()) {
    text += fmt::format(", {:.1f} % of the time",
                        100.0 * static_cast<double>(exposed.value()) / static_cast<double>(window.value()));
  }
  text += fmt::format("; {} hidden under compute", each(hidden));
  const std::string straggler = StragglerText(context);
  return text + (straggler.empty() ? "." : "; " + straggler + ".");
}

void AddNotes(const Context& context, report::Document& document) {
  const CollectivesResult& result = context.result;
  uint64_t incomplete = 0;
  bool unequal_order = false;
  for (const CollectiveStats& stats : result.collectives) {
    incomplete += stats.incomplete;
    unequal_order |= stats.incomplete > 0 && !result.found.by_run[stats.operation];
  }
  if (incomplete > 0) {
    document.notes.push_back(fmt::format(
        "{} not in the capture on all devices of the group: left out of time, wait and skew{}",
        report::Plural(incomplete, "execution"),
        unequal_order ? "; without run ids the k-th execution on each device is taken as the same" : ""));
  }
  if (context.view.hosts.size() < 2 || result.collectives.empty()) return;
  std::string unaligned;
  for (size_t h = 0; h < result.hosts.size(); ++h) {
    if (!result.hosts[h].aligned) unaligned += (unaligned.empty() ? "" : ", ") + context.HostName(h);
  }
  document.notes.push_back(
      unaligned.empty()
          ? std::string("clocks of hosts are aligned by the ends of collectives, for start skew only")
          : fmt::format("no collective joins {} with {}: their clocks are compared as they are", unaligned,
                        context.HostName(0)));
}

}  // namespace

report::Document CollectivesDocument(const RunView& view) {
  report::Document document = NewDocument("collectives", *view.run);
  const CollectivesResult result = AnalyzeCollectives(view);
  const Context context{view, result};
  document.answer = Answer(context);
  document.tables = {CollectivesTable(context), KindsTable(context), DevicesTable(context),
                     AlignmentTable(context)};
  document.main_table = "collectives";
  if (result.collectives.empty()) {
    for (Table& table : document.tables) table.hidden = true;
  }
  AddNotes(context, document);
  if (view.run->typed != "-") document.next = {Command("steps", *view.run), Command("idle", *view.run)};
  return document;
}

}  // namespace gait::analyze

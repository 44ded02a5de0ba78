#include "gait/analyze/question/collectives/collectives_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/question/collectives/collectives_tables.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"
#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

using Context = CollectivesContext;

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
  if (late.host) return fmt::format("the devices of {} start last together", context.HostName(*late.host));
  if (late.device) return text(context.DeviceText(*late.device), late.last[*late.device]);
  // One collective may have a straggler of its own where the late starts of all together are spread.
  const auto own = std::ranges::find_if(
      context.result.collectives, [](const CollectiveStats& stats) { return stats.late.device.has_value(); });
  if (own == context.result.collectives.end()) return "no device is the straggler";
  return fmt::format("no device is the straggler of all of them, {} is of {}",
                     context.DeviceText(*own->late.device),
                     context.OperationText(context.result.found.operations[own->operation]));
}

// Of a capture whose communication is all outside the steps that are counted.
std::string OutsideText(const Context& context, std::vector<report::Link>& links) {
  const CollectiveExecutions& found = context.result.found;
  Ps time;
  for (const std::vector<IntervalSet>& kinds : found.communication) {
    for (const IntervalSet& kind : kinds) time += TotalLength(kind);
  }
  const std::string& program = found.operations[found.executions.front().operation].program;
  if (!program.empty()) links.push_back(report::Link::Option("program", program));
  return fmt::format("No collectives in the steps; outside of them they take {} on each device{}.",
                     report::TimeText(time / static_cast<int64_t>(found.devices.size())),
                     program.empty() ? "" : fmt::format(" ({})", links.back().text));
}

// Whether starts and dones lie apart, as in a capture of a TPU without its programs: what was in flight
// between them was not recorded.
bool HasUnpaired(const CollectivesResult& result) {
  return std::ranges::any_of(result.collectives, [&](const CollectiveStats& stats) {
    const CollectiveOperation& operation = result.found.operations[stats.operation];
    const std::string_view name = operation.name;
    return operation.program.empty() && PhaseOfOpcode(name.substr(0, name.find('.'))) != Phase::kWhole;
  });
}

std::string Answer(const Context& context, std::vector<report::Link>& links) {
  const CollectivesResult& result = context.result;
  if (result.collectives.empty()) {
    const uint64_t devices = result.devices.size();
    if (devices == 0) return "No communication: no device did any work in this capture.";
    if (context.has_steps() && !result.found.executions.empty()) return OutsideText(context, links);
    if (context.view.narrowed()) {
      return fmt::format("No collectives: none of the work of the selected {} is communication.",
                         devices == 1 ? "device" : "devices");
    }
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
    text += fmt::format(" (all of it {})", Name(result.kinds[0].kind));
  }
  if (window > Ps()) {
    text += fmt::format(", {:.1f} % of the time",
                        100.0 * static_cast<double>(exposed.value()) / static_cast<double>(window.value()));
  }
  if (HasUnpaired(result)) {
    text += "; how much is hidden under compute is not known";
  } else {
    text += fmt::format("; {} hidden under compute", hidden > Ps() ? each(hidden) : "none");
  }
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
    document.notes.push_back(
        fmt::format("{} not in the capture on all devices of the group: left out of time, wait and skew{}",
                    report::Plural(incomplete, "execution"),
                    unequal_order ? "; without run ids they are matched by their order and their ends" : ""));
  }
  if (HasUnpaired(result)) {
    document.notes.push_back(
        "which start belongs to which done is not known, as their programs are not in the capture: exposed "
        "and hidden count each by itself, not what is in flight between them");
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
  const CollectivesResult& result = AnalyzeCollectives(view);
  const Context context{view, result};
  document.answer = Answer(context, document.links);
  document.tables =
      TablesOf(CollectivesTable(context), CollectiveKindsTable(context), CollectiveDevicesTable(context),
               CollectiveMatrixTable(context), AlignmentTable(context));
  document.main_table = "collectives";
  if (result.collectives.empty()) {
    for (report::Table& table : document.tables) table.hidden = true;
  }
  AddNotes(context, document);
  if (view.run->typed != "-") document.next = {Command("steps", *view.run), Command("idle", *view.run)};
  return document;
}

}  // namespace gait::analyze

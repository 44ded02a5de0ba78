#include "gait/analyze/question/memory/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gait/analyze/question/memory/memory.h"
#include "gait/analyze/question/memory/program_tables.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 12;
constexpr const char* kNoEvents =
    "no memory events: XLA's BFC allocator writes them while a GPU or TPU is captured; a CPU has none, nor "
    "has XLA_PYTHON_CLIENT_ALLOCATOR=platform or cuda_async";

Cell Maybe(const std::optional<int64_t>& value, const char* why) {
  return value ? Cell(*value) : Cell(Unknown{why});
}

bool HasEvents(std::span<const HostMemory> hosts) {
  return std::ranges::any_of(hosts, [](const HostMemory& h) { return !h.allocators.empty(); });
}

Table AllocatorsTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory";
  table.key = "device";
  table.columns = {
      HostColumn(hosts.size() == 1),
      {"device",
       Type::kText,
       unit::kNone,
       {},
       "the device whose memory it is; host: pinned memory of the host"},
      {"space", Type::kText, unit::kNone, {.hidden = true}, "device or host"},
      {"allocator", Type::kText, unit::kNone, {.hidden = true}, "the allocator's own name"},
      BytesColumn("peak", "peak",
                  "the most that was in use at one time of the window: handed out, or reserved for programs"),
      BytesColumn("limit", "limit", "what the allocator may use: in use and available at the peak"),
      {"used", Type::kNumber, unit::kPercent, {}, "peak of limit"},
      BytesColumn("headroom", "", "limit less peak", true),
      BytesColumn("before", "before", "in use when the capture began"),
      BytesColumn("lifetime_peak", "ever",
                  "the most that was handed out since the process began; without what is reserved"),
      BytesColumn("device_memory", "", "what the device has", true),
      {"fragmentation",
       Type::kNumber,
       unit::kPercent,
       {.head = "fragmented", .optional = true},
       "of the free memory at the peak, what lies outside its largest piece"},
      {"peak_step",
       Type::kInteger,
       unit::kNone,
       {.head = "step", .identifier = true, .optional = true},
       "the step that was running on the host at the peak"},
      {"peak_time", Type::kInteger, unit::kPs, {.hidden = true}, "when the peak was reached"},
      {"allocations", Type::kInteger, unit::kNone, {.hidden = true}, "how many in the window"},
      {"deallocations", Type::kInteger, unit::kNone, {.hidden = true}, "how many in the window"},
      BytesColumn("allocated_bytes", "", "bytes of the window's allocations, each counted", true)};
  table.if_empty = kNoEvents;
  for (const HostMemory& host : hosts) {
    for (const Allocator& a : host.allocators) {
      constexpr const char* kSilent = "the events do not say";
      table.rows.push_back(
          {host.view->host->name, a.device, Name(a.space), a.name, a.peak, Maybe(a.limit, kSilent),
           a.limit ? Cell(Percent(a.peak, *a.limit)) : Cell(Unknown{kSilent}), Maybe(a.headroom(), kSilent),
           a.before, Maybe(a.lifetime_peak, kSilent), Maybe(a.device_memory, "the device does not say"),
           a.fragmentation ? Cell(100 * *a.fragmentation) : Cell(Unknown{kSilent}),
           Maybe(a.peak_step, "no step was running"), a.peak_time, a.allocations, a.deallocations,
           a.allocated_bytes});
    }
  }
  return table;
}

std::string What(const LiveAllocation& live) {
  switch (live.kind) {
    case LiveKind::kBefore:
      return live.bytes < 0 ? "counted twice: deallocations are missing" : "allocated before the capture";
    case LiveKind::kTemporaries:
      return "temporaries of " + live.program;
    case LiveKind::kOutput:
      return "outputs of " + live.program;
    case LiveKind::kInput:
      return "input from the host";
    case LiveKind::kCompilation:
      return "compilation";
    case LiveKind::kReserved:
      return "reserved for temporaries of programs";
    case LiveKind::kOther:
      break;
  }
  if (!live.program.empty()) return "other buffers of " + live.program;
  if (live.operation == "Build buffer allocations") return "buffers of a program";
  return live.operation.empty() ? "unknown" : live.operation;
}

Table LiveTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory_live";
  table.key = "what";
  table.text_rows = kTextRows;
  table.columns = {
      HostColumn(true),
      {"device", Type::kText, unit::kNone, {.hidden = true}, "the device whose memory it is"},
      {"allocator", Type::kText, unit::kNone, {.hidden = true}, "the allocator's own name"},
      {"what",
       Type::kText,
       unit::kNone,
       {.head = "live at the peak", .elastic = true},
       "what the memory is for"},
      {"kind",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "before, temporaries, output, input, compilation, reserved or other"},
      {"program", Type::kText, unit::kNone, {.hidden = true}, "the program that was running"},
      {"operation",
       Type::kText,
       unit::kNone,
       {.hidden = true},
       "what the event names, or the host's call that allocated"},
      {"shape", Type::kText, unit::kNone, {.elastic = true, .optional = true}, "where an event says it"},
      BytesColumn("bytes", "bytes", "together"),
      {"share", Type::kNumber, unit::kPercent, {.head = "of peak"}, "share of the peak"},
      {"count", Type::kInteger, unit::kNone, {}, "how many allocations"}};
  const size_t shown =
      std::ranges::count_if(hosts, [](const HostMemory& h) { return !h.allocators.empty(); });
  for (const HostMemory& host : hosts) {
    const Allocator* worst = host.worst();
    // People see the fullest device; JSON and CSV have all.
    std::vector<const Allocator*> order;
    if (worst != nullptr) order.push_back(worst);
    for (const Allocator& a : host.allocators) {
      if (&a != worst) order.push_back(&a);
    }
    for (const Allocator* a : order) {
      for (const LiveAllocation& live : a->live) {
        const auto text = [](const std::string& value) {
          return value.empty() ? Cell(Unknown{"the events do not say"}) : Cell(value);
        };
        table.rows.push_back(
            {host.view->host->name, a->device, a->name, What(live), Name(live.kind), text(live.program),
             text(live.operation), text(live.shape), live.bytes, Percent(live.bytes, a->peak),
             live.count > 0 ? Cell(live.count)
                            : Cell(Unknown{live.kind == LiveKind::kReserved ? "reserved, not allocated"
                                                                            : "before the capture"})});
      }
    }
  }
  const bool several =
      std::ranges::any_of(hosts, [](const HostMemory& h) { return h.allocators.size() > 1; });
  table.columns[1].show.hidden = !several;
  table.columns[0].show.hidden = shown < 2;
  return table;
}

Table TimelineTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory_timeline";
  table.hidden = true;
  table.key = "device";
  table.columns = {HostColumn(false),
                   {"device", Type::kText, unit::kNone, {}, "the device whose memory it is"},
                   {"allocator", Type::kText, unit::kNone, {}, "the allocator's own name"},
                   {"time", Type::kInteger, unit::kPs, {}, "when"},
                   BytesColumn("in_use", "",
                               "bytes in use from then on; of at most 1000 points an allocator, the "
                               "lowest and the highest of each of 500 equal times")};
  table.if_empty = HasEvents(hosts) ? "no memory events in these steps" : kNoEvents;
  for (const HostMemory& host : hosts) {
    for (const Allocator& a : host.allocators) {
      for (const MemoryPoint& point : a.timeline)
        table.rows.push_back({host.view->host->name, a.device, a.name, point.time, point.in_use});
    }
  }
  return table;
}

// The fullest device of the run, and its host.
std::pair<const HostMemory*, const Allocator*> Fullest(std::span<const HostMemory> hosts) {
  std::pair<const HostMemory*, const Allocator*> found = {nullptr, nullptr};
  for (const HostMemory& host : hosts) {
    const Allocator* a = host.worst();
    if (a != nullptr && (found.second == nullptr || a->peak > found.second->peak)) found = {&host, a};
  }
  return found;
}

std::string Text(int64_t bytes) {
  return report::BytesText(static_cast<uint64_t>(std::max<int64_t>(0, bytes)));
}

std::string Answer(std::span<const HostMemory> hosts) {
  const auto [host, a] = Fullest(hosts);
  if (a == nullptr) {
    for (const HostMemory& h : hosts) {
      if (const ProgramMemory* p = h.program_at_peak()) {
        return fmt::format("No memory events; {} needs {} by its buffer assignment.", p->program->name,
                           Text(p->total()));
      }
    }
    return "No memory events and no buffer assignment in this capture.";
  }
  std::string text = fmt::format("Peak {} on {}", Text(a->peak), a->device);
  if (hosts.size() > 1) text += " of " + host->view->host->name;
  if (a->limit) {
    text += fmt::format(", {:.1f} % of the {} that the allocator may use", Percent(a->peak, *a->limit),
                        Text(*a->limit));
  }
  if (a->device_memory) text += fmt::format(" (device: {})", Text(*a->device_memory));
  if (!a->live.empty()) {
    text += fmt::format("; largest part {}: {}", Text(a->live.front().bytes), What(a->live.front()));
  }
  text += ".";
  if (a->lifetime_peak && *a->lifetime_peak > a->peak + a->peak / 100) {
    const bool before = a->lifetime_peak == a->peak_before;
    text += fmt::format(" {} {}.",
                        before ? "Before the capture it had reached" : "Elsewhere in the capture it reached",
                        Text(*a->lifetime_peak));
  }
  return text;
}

}  // namespace

Result<report::Document> MemoryDocument(const RunView& view) {
  GAIT_TRY(const std::span<const HostMemory> hosts, FindMemory(view));
  report::Document document = NewDocument("memory", *view.run);
  document.answer = Answer(hosts);
  document.tables = TablesOf(AllocatorsTable(hosts), LiveTable(hosts), MemoryProgramsTable(hosts),
                             MemoryBuffersTable(hosts), MemoryGroupsTable(hosts), MemoryScheduleTable(hosts),
                             TimelineTable(hosts));
  document.main_table = "memory";
  const auto beside =
      std::ranges::count(view.run->run.beside, runs::BesideKind::kMemoryProfile, &runs::BesideFile::kind);
  if (beside > 0) {
    const auto first =
        std::ranges::find(view.run->run.beside, runs::BesideKind::kMemoryProfile, &runs::BesideFile::kind);
    document.notes.push_back(
        fmt::format("{} beside the run: gait memory {}",
                    report::Plural(static_cast<uint64_t>(beside), "device memory profile"), first->path));
  }
  if (!view.selection.program.empty() && HasEvents(hosts)) {
    document.notes.emplace_back(
        "--program chooses among what programs need; memory in use is that of all programs");
  }
  for (const char* table : {"memory_groups", "memory_timeline"}) {
    const auto found = std::ranges::find(document.tables, table, &Table::name);
    if (view.run->typed == "-" || found->rows.empty()) continue;
    const bool for_charts = found->name == "memory_timeline";
    document.next.push_back(
        Command("memory", *view.run, fmt::format("--table {}{}", table, for_charts ? " --csv" : "")));
  }
  return document;
}

}  // namespace gait::analyze

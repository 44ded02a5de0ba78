#include "gait/analyze/question/memory/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gait/analyze/question/memory/memory.h"
#include "gait/analyze/question/memory/program_tables.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextRows = 12;
constexpr const char* kNoEvents =
    "no memory events: XLA's BFC allocator writes them while a GPU or TPU is captured; a CPU has none, nor "
    "has XLA_PYTHON_CLIENT_ALLOCATOR=platform or cuda_async";

bool HasEvents(std::span<const HostMemory> hosts) {
  return std::ranges::any_of(hosts, [](const HostMemory& h) { return !h.allocators.empty(); });
}

Table AllocatorsTable(std::span<const HostMemory> hosts) {
  constexpr const char* kSilent = "the events do not say";
  const HostMemory* host = nullptr;  // of the row
  TableOf<Allocator> t({.name = "memory", .if_empty = kNoEvents, .key = "device"});
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; });
  t.Add("device", "the device whose memory it is; host: pinned memory of the host", &Allocator::device);
  t.Hidden("space", "device or host", [](const Allocator& a) { return Name(a.space); });
  t.Hidden("allocator", "the allocator's own name", &Allocator::name);
  t.Bytes("peak", "the most that was in use at one time of the window: handed out, or reserved for programs",
          &Allocator::peak);
  t.Bytes("limit", "what the allocator may use: in use and available at the peak",
          Known(&Allocator::limit, kSilent));
  t.Percent("used", "peak of limit", [](const Allocator& a) -> NumberCell {
    if (!a.limit) return Unknown{kSilent};
    return Percent(a.peak, *a.limit);
  });
  t.Bytes("headroom", {.hidden = true}, "limit less peak", Known(&Allocator::headroom, kSilent));
  t.Bytes("before", "in use when the capture began", &Allocator::before);
  t.Bytes("lifetime_peak", {.head = "ever"},
          "the most that was handed out since the process began; without what is reserved",
          Known(&Allocator::lifetime_peak, kSilent));
  t.Bytes("device_memory", {.hidden = true}, "what the device has",
          Known(&Allocator::device_memory, "the device does not say"));
  t.Percent("fragmentation", {.head = "fragmented", .optional = true},
            "of the free memory at the peak, what lies outside its largest piece",
            [](const Allocator& a) -> NumberCell {
              if (!a.fragmentation) return Unknown{kSilent};
              return 100 * *a.fragmentation;
            });
  t.Add("peak_step", {.head = "step", .identifier = true, .optional = true},
        "the step that was running on the host at the peak",
        Known(&Allocator::peak_step, "no step was running"));
  t.Hidden("peak_time", "when the peak was reached", &Allocator::peak_time);
  t.Hidden("allocations", "how many in the window", &Allocator::allocations);
  t.Hidden("deallocations", "how many in the window", &Allocator::deallocations);
  t.Bytes("allocated_bytes", {.hidden = true}, "bytes of the window's allocations, each counted",
          &Allocator::allocated_bytes);
  for (const HostMemory& h : hosts) {
    host = &h;
    t.Rows(h.allocators);
  }
  return t.Done();
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
  if (Is(RuntimeCall::kProgramBuffers, live.operation)) return "buffers of a program";
  return live.operation.empty() ? "unknown" : live.operation;
}

Table LiveTable(std::span<const HostMemory> hosts) {
  constexpr const char* kSilent = "the events do not say";
  using Live = LiveAllocation;
  const HostMemory* host = nullptr;  // of the row
  const Allocator* of = nullptr;
  const auto shown = std::ranges::count_if(hosts, [](const HostMemory& h) { return !h.allocators.empty(); });
  const bool several =
      std::ranges::any_of(hosts, [](const HostMemory& h) { return h.allocators.size() > 1; });
  TableOf<Live> t({.name = "memory_live", .text_rows = kTextRows, .key = "what"});
  AddHost(t, shown < 2, [&] { return host->view->host->name; });
  t.Add("device", {.hidden = !several}, "the device whose memory it is",
        [&](const Live&) { return of->device; });
  t.Hidden("allocator", "the allocator's own name", [&](const Live&) { return of->name; });
  t.Add("what", {.head = "live at the peak", .elastic = true}, "what the memory is for", What);
  t.Hidden("kind", "before, temporaries, output, input, compilation, reserved or other",
           [](const Live& live) { return Name(live.kind); });
  t.Hidden("program", "the program that was running", Known(&Live::program, kSilent));
  t.Hidden("operation", "what the event names, or the host's call that allocated",
           Known(&Live::operation, kSilent));
  t.Add("shape", {.elastic = true, .optional = true}, "where an event says it", Known(&Live::shape, kSilent));
  t.Bytes("bytes", "together", &Live::bytes);
  t.Percent("share", {.head = "of peak"}, "share of the peak",
            [&](const Live& live) { return Percent(live.bytes, of->peak); });
  t.Add("count", "how many allocations", [](const Live& live) -> CellOf<uint64_t> {
    if (live.count > 0) return live.count;
    return Unknown{live.kind == LiveKind::kReserved ? "reserved, not allocated" : "before the capture"};
  });
  for (const HostMemory& h : hosts) {
    host = &h;
    // People see the fullest device; JSON and CSV have all.
    of = h.worst();
    if (of != nullptr) t.Rows(of->live);
    for (const Allocator& a : h.allocators) {
      if (&a == h.worst()) continue;
      of = &a;
      t.Rows(a.live);
    }
  }
  return t.Done();
}

Table TimelineTable(std::span<const HostMemory> hosts) {
  const HostMemory* host = nullptr;  // of the row
  const Allocator* of = nullptr;
  TableOf<MemoryPoint> t({.name = "memory_timeline",
                          .if_empty = HasEvents(hosts) ? "no memory events in these steps" : kNoEvents,
                          .hidden = true,
                          .key = "device"});
  AddHost(t, false, [&] { return host->view->host->name; });
  t.Add("device", "the device whose memory it is", [&](const MemoryPoint&) { return of->device; });
  t.Add("allocator", "the allocator's own name", [&](const MemoryPoint&) { return of->name; });
  t.Add("time", "when", &MemoryPoint::time);
  t.Bytes(
      "in_use",
      "bytes in use from then on; of at most 1000 points an allocator, the lowest and the highest of each "
      "of 500 equal times",
      &MemoryPoint::in_use);
  for (const HostMemory& h : hosts) {
    host = &h;
    for (const Allocator& a : h.allocators) {
      of = &a;
      t.Rows(a.timeline);
    }
  }
  return t.Done();
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
    document.links.push_back({"gait memory " + first->path, "memory"});
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

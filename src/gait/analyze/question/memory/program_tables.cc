#include "gait/analyze/question/memory/program_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "gait/analyze/device/category.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/vocabulary/scope_name.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextPrograms = 8;
constexpr size_t kTextBuffers = 15;
constexpr size_t kSchedulePoints = 1000;

struct Described {
  std::string instruction, category, op_name, scope, shape;
};

// Categories and scopes are those of gait ops. No operation of the program computes a parameter or a
// constant: these are categories of their own.
Described Describe(const Program& program, const ProgramScopes& scopes, const LiveBuffer& buffer) {
  Described text;
  if (buffer.shape.valid()) text.shape = program.ShapeWithoutLayout(buffer.shape);
  if (!buffer.instruction.valid()) return text;
  const Instruction& instruction = program[buffer.instruction];
  const bool computed = buffer.kind == BufferKind::kOutput || buffer.kind == BufferKind::kTemporary;
  text.instruction = program.text(instruction.name);
  text.category = computed ? Name(CategoryOf(program, buffer.instruction)) : Name(buffer.kind);
  text.op_name = program.text(instruction.op_name);
  text.scope = scopes.Of(buffer.instruction).Text();
  return text;
}

}  // namespace

Table MemoryProgramsTable(std::span<const HostMemory> hosts) {
  using Memory = ProgramMemory;
  constexpr const char* kNoAssignment = "the program came without a buffer assignment";
  const HostMemory* host = nullptr;  // of the row
  TableOf<Memory> t(
      {.name = "memory_programs",
       .if_empty = "no program in this capture (it was made with enable_hlo_proto off, or nothing ran)",
       .text_rows = kTextPrograms,
       .key = "program"});
  AddHost(t, hosts.size() == 1, [&] { return host->view->host->name; });
  t.Add("program", {.elastic = true}, "name of the HLO module",
        [](const Memory& p) { return p.program->name; });
  AddProgramId(t, [](const Memory& p) { return p.program->id; }, "its id");
  const auto bytes = [&](const char* name, Show show, std::string_view about, auto get) {
    t.Bytes(name, std::move(show), about, [get](const Memory& p) -> CellOf<int64_t> {
      if (!p.known) return Unknown{kNoAssignment};
      return std::invoke(get, p);
    });
  };
  bytes("total", {.head = "needs"}, "parameters, outputs, constants and temporaries together",
        &Memory::total);
  bytes("parameters", {.head = "params"}, "what it is called with", &Memory::parameters);
  bytes("donated", {.hidden = true}, "of the parameters, those whose memory the result takes over",
        &Memory::donated);
  bytes("outputs", {}, "results that take memory of their own", &Memory::outputs);
  bytes("constants", {.hidden = true}, "constants of the program", &Memory::constants);
  bytes("temporaries", {.head = "temps"}, "what it allocates while it runs", &Memory::temporaries);
  bytes("live_temporaries", {.hidden = true}, "the most of the temporaries that is live at once",
        &Memory::live_temporaries);
  bytes("packing", {.hidden = true}, "temporaries less what is live at once: holes that the packing left",
        &Memory::packing);
  bytes("padding", {.hidden = true},
        "of what is live at the peak, bytes beyond what the shapes need: tiled layouts", &Memory::padding);
  bytes("other_spaces", {.hidden = true}, "memory of other kinds: on-chip, the host's",
        &Memory::other_spaces);
  bytes("per_thread", {.hidden = true}, "buffers that each thread has for itself", &Memory::per_thread);
  t.Hidden("peak_at", "the instruction at which most is live", [](const Memory& p) -> TextCell {
    if (!p.known) return Unknown{kNoAssignment};
    if (!p.peak_at.valid()) return Unknown{"no trace of its heap"};
    return p.program->text((*p.program)[p.peak_at].name);
  });
  for (const HostMemory& h : hosts) {
    host = &h;
    t.Rows(h.programs);
  }
  return t.Done();
}

Table MemoryBuffersTable(std::span<const HostMemory> hosts) {
  struct Buffer {
    const HostMemory& host;
    const ProgramMemory& of;
    const LiveBuffer& buffer;
    Described text;
  };
  const ProgramMemory* only = hosts.size() == 1 ? hosts[0].program_at_peak() : nullptr;
  TableOf<Buffer> t({.name = "memory_buffers", .text_rows = kTextBuffers, .key = "scope"});
  t.Add("host", HostShow(hosts.size() == 1), kAboutHost,
        [](const Buffer& b) { return b.host.view->host->name; });
  t.Hidden("program", "the program whose peak it is", [](const Buffer& b) { return b.of.program->name; });
  AddProgramId(t, [](const Buffer& b) { return b.of.program->id; }, "its id");
  t.Add("scope",
        {.head =
             only != nullptr ? fmt::format("peak of {}", only->program->name) : "live at the program's peak",
         .elastic = true,
         .keep_end = true},
        "name of the operation in the source, or of the parameter", [](const Buffer& b) {
          return OrUnknown(b.text.op_name.empty() ? b.text.instruction : b.text.op_name, "no instruction");
        });
  t.Hidden("instruction", "the HLO instruction that defines the buffer",
           [](const Buffer& b) { return OrUnknown(b.text.instruction, "not in the program"); });
  t.Hidden("category", "what it does, as in gait ops, or parameter or constant",
           [](const Buffer& b) { return OrUnknown(b.text.category, "not in the program"); });
  t.Add("kind", "parameter, output, constant or temporary",
        [](const Buffer& b) { return Name(b.buffer.kind); });
  t.Add("shape", {.elastic = true}, "shape of the buffer",
        [](const Buffer& b) { return OrUnknown(b.text.shape, "a table of pointers"); });
  t.Bytes("bytes", "size of the buffer", [](const Buffer& b) { return b.buffer.bytes; });
  t.Bytes("padding", {.hidden = true}, "bytes beyond what the shape needs",
          [](const Buffer& b) { return b.buffer.padding; });
  t.Percent("share", {.head = "of peak"}, "share of what is live at the program's peak",
            [](const Buffer& b) { return Percent(b.buffer.bytes, b.of.total() - b.of.packing()); });
  for (const HostMemory& host : hosts) {
    const ProgramMemory* p = host.program_at_peak();
    if (p == nullptr) continue;
    const ProgramScopes scopes(*p->program);
    for (const LiveBuffer& buffer : p->live) t.Row({host, *p, buffer, Describe(*p->program, scopes, buffer)});
  }
  return t.Done();
}

// Of the live buffers, by kind, category, scope and shape, one after the other.
Table MemoryGroupsTable(std::span<const HostMemory> hosts) {
  struct Group {
    const HostMemory* host = nullptr;
    const ProgramMemory* of = nullptr;
    size_t by = 0;
    std::string name;
    int64_t bytes = 0;
    uint64_t count = 0;
  };
  constexpr const char* kBy[] = {"kind", "category", "scope", "shape"};
  TableOf<Group> t({.name = "memory_groups",
                    .if_empty = "no program of this capture came with a buffer assignment",
                    .hidden = true,
                    .key = "group"});
  t.Add("host", HostShow(hosts.size() == 1), kAboutHost,
        [](const Group& g) { return g.host->view->host->name; });
  t.Hidden("program", "the program whose peak it is", [](const Group& g) { return g.of->program->name; });
  t.Add("by", "kind, category, scope or shape", [&](const Group& g) { return kBy[g.by]; });
  t.Add("group", {.elastic = true, .keep_end = true},
        "buffers of this kind, category, scope or shape; categories and scopes are those of gait ops",
        Known(&Group::name, "the program does not say"));
  t.Bytes("bytes", "live at the program's peak", &Group::bytes);
  t.Percent("share", {.head = "of peak"}, "share of what is live at the program's peak",
            [](const Group& g) { return Percent(g.bytes, g.of->total() - g.of->packing()); });
  t.Add("count", "how many buffers", &Group::count);
  for (const HostMemory& host : hosts) {
    const ProgramMemory* p = host.program_at_peak();
    if (p == nullptr) continue;
    const ProgramScopes scopes(*p->program);
    std::map<std::pair<size_t, std::string>, Group> sums;
    for (const LiveBuffer& buffer : p->live) {
      const Described text = Describe(*p->program, scopes, buffer);
      const std::string names[] = {std::string(Name(buffer.kind)), text.category, text.scope, text.shape};
      for (size_t by = 0; by < std::size(names); ++by) {
        Group& sum = sums[{by, names[by]}];
        sum = {&host, p, by, names[by], sum.bytes + buffer.bytes, sum.count + 1};
      }
    }
    std::vector<Group> order;
    for (const auto& [key, sum] : sums) order.push_back(sum);
    std::ranges::stable_sort(order, {}, [](const Group& g) { return std::pair(g.by, -g.bytes); });
    t.Rows(order);
  }
  return t.Done();
}

Table MemoryScheduleTable(std::span<const HostMemory> hosts) {
  struct Point {
    const HostMemory& host;
    const Program& program;
    size_t position = 0;
    const SchedulePoint& of;
  };
  TableOf<Point> t({.name = "memory_schedule",
                    .if_empty = "no program of this capture came with a trace of its heap",
                    .hidden = true,
                    .key = "instruction"});
  t.Add("host", HostShow(hosts.size() == 1), kAboutHost,
        [](const Point& p) { return p.host.view->host->name; });
  t.Hidden("program", "the program", [](const Point& p) { return p.program.name; });
  AddProgramId(t, [](const Point& p) { return p.program.id; }, "its id");
  t.Add("position", {.identifier = true}, "place in the schedule, from 0", &Point::position);
  t.Add("instruction", {.elastic = true}, "the HLO instruction that runs there",
        [](const Point& p) -> TextCell {
          if (!p.of.instruction.valid()) return Unknown{"not in the program"};
          return OrUnknown(std::string(p.program.text(p.program[p.of.instruction].name)), "");
        });
  t.Bytes("bytes", {.head = "live"}, "the most that is live from there to the next row",
          [](const Point& p) { return p.of.bytes; });
  for (const HostMemory& host : hosts) {
    const ProgramMemory* p = host.program_at_peak();
    if (p == nullptr) continue;
    // Of a long schedule each row stands for equally many instructions, and for the one with the most of
    // them.
    const size_t n = p->schedule.size();
    const size_t rows = std::min(n, kSchedulePoints);
    for (size_t r = 0; r < rows; ++r) {
      size_t most = n * r / rows;
      for (size_t i = most; i < n * (r + 1) / rows; ++i) {
        if (p->schedule[i].bytes > p->schedule[most].bytes) most = i;
      }
      t.Row({host, *p->program, most, p->schedule[most]});
    }
  }
  return t.Done();
}

}  // namespace gait::analyze

#include "gait/analyze/question/memory/program_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

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

Cell TextCell(std::string value, const char* why) {
  return value.empty() ? Cell(Unknown{why}) : Cell(std::move(value));
}

}  // namespace

Table MemoryProgramsTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory_programs";
  table.key = "program";
  table.text_rows = kTextPrograms;
  table.if_empty = "no program in this capture (it was made with enable_hlo_proto off, or nothing ran)";
  table.columns = {
      HostColumn(hosts.size() == 1),
      {"program", Type::kText, unit::kNone, {.elastic = true}, "name of the HLO module"},
      ProgramIdColumn("its id"),
      BytesColumn("total", "needs", "parameters, outputs, constants and temporaries together"),
      BytesColumn("parameters", "params", "what it is called with"),
      BytesColumn("donated", "", "of the parameters, those whose memory the result takes over", true),
      BytesColumn("outputs", "outputs", "results that take memory of their own"),
      BytesColumn("constants", "", "constants of the program", true),
      BytesColumn("temporaries", "temps", "what it allocates while it runs"),
      BytesColumn("live_temporaries", "", "the most of the temporaries that is live at once", true),
      BytesColumn("packing", "", "temporaries less what is live at once: holes that the packing left", true),
      BytesColumn("padding", "",
                  "of what is live at the peak, bytes beyond what the shapes need: tiled layouts", true),
      BytesColumn("other_spaces", "", "memory of other kinds: on-chip, the host's", true),
      BytesColumn("per_thread", "", "buffers that each thread has for itself", true),
      {"peak_at", Type::kText, unit::kNone, {.hidden = true}, "the instruction at which most is live"}};
  for (const HostMemory& host : hosts) {
    for (const ProgramMemory& p : host.programs) {
      Row row = {host.view->host->name, p.program->name, p.program->id};
      if (!p.known) {
        row.resize(table.columns.size(), Unknown{"the program came without a buffer assignment"});
        table.rows.push_back(std::move(row));
        continue;
      }
      for (const int64_t bytes : {p.total(), p.parameters, p.donated, p.outputs, p.constants, p.temporaries,
                                  p.live_temporaries, p.packing(), p.padding, p.other_spaces, p.per_thread}) {
        row.emplace_back(bytes);
      }
      row.push_back(p.peak_at.valid() ? Cell(p.program->text((*p.program)[p.peak_at].name))
                                      : Cell(Unknown{"no trace of its heap"}));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table MemoryBuffersTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory_buffers";
  table.key = "scope";
  table.text_rows = kTextBuffers;
  table.columns = {HostColumn(hosts.size() == 1),
                   {"program", Type::kText, unit::kNone, {.hidden = true}, "the program whose peak it is"},
                   ProgramIdColumn("its id"),
                   {"scope",
                    Type::kText,
                    unit::kNone,
                    {.head = "live at the program's peak", .elastic = true, .keep_end = true},
                    "name of the operation in the source, or of the parameter"},
                   {"instruction",
                    Type::kText,
                    unit::kNone,
                    {.hidden = true},
                    "the HLO instruction that defines the buffer"},
                   {"category",
                    Type::kText,
                    unit::kNone,
                    {.hidden = true},
                    "what it does, as in gait ops, or parameter or constant"},
                   {"kind", Type::kText, unit::kNone, {}, "parameter, output, constant or temporary"},
                   {"shape", Type::kText, unit::kNone, {.elastic = true}, "shape of the buffer"},
                   BytesColumn("bytes", "bytes", "size of the buffer"),
                   BytesColumn("padding", "", "bytes beyond what the shape needs", true),
                   {"share",
                    Type::kNumber,
                    unit::kPercent,
                    {.head = "of peak"},
                    "share of what is live at the program's peak"}};
  for (const HostMemory& host : hosts) {
    const ProgramMemory* p = host.program_at_peak();
    if (p == nullptr) continue;
    const int64_t live = p->total() - p->packing();
    if (hosts.size() == 1) {
      std::ranges::find(table.columns, "scope", &report::Column::name)->show.head =
          fmt::format("peak of {}", p->program->name);
    }
    const ProgramScopes scopes(*p->program);
    for (const LiveBuffer& buffer : p->live) {
      Described text = Describe(*p->program, scopes, buffer);
      table.rows.push_back(
          {host.view->host->name, p->program->name, p->program->id,
           TextCell(text.op_name.empty() ? text.instruction : text.op_name, "no instruction"),
           TextCell(text.instruction, "not in the program"), TextCell(text.category, "not in the program"),
           Name(buffer.kind), TextCell(text.shape, "a table of pointers"), buffer.bytes, buffer.padding,
           Percent(buffer.bytes, live)});
    }
  }
  return table;
}

Table MemoryGroupsTable(std::span<const HostMemory> hosts) {
  struct Sum {
    int64_t bytes = 0;
    uint64_t count = 0;
  };
  Table table;
  table.name = "memory_groups";
  table.hidden = true;
  table.key = "group";
  table.if_empty = "no program of this capture came with a buffer assignment";
  table.columns = {
      HostColumn(hosts.size() == 1),
      {"program", Type::kText, unit::kNone, {.hidden = true}, "the program whose peak it is"},
      {"by", Type::kText, unit::kNone, {}, "kind, category, scope or shape"},
      {"group",
       Type::kText,
       unit::kNone,
       {.elastic = true, .keep_end = true},
       "buffers of this kind, category, scope or shape; categories and scopes are those of gait ops"},
      BytesColumn("bytes", "bytes", "live at the program's peak"),
      {"share",
       Type::kNumber,
       unit::kPercent,
       {.head = "of peak"},
       "share of what is live at the program's peak"},
      {"count", Type::kInteger, unit::kNone, {}, "how many buffers"}};
  for (const HostMemory& host : hosts) {
    const ProgramMemory* p = host.program_at_peak();
    if (p == nullptr) continue;
    const ProgramScopes scopes(*p->program);
    std::map<std::pair<int, std::string>, Sum> sums;
    for (const LiveBuffer& buffer : p->live) {
      Described text = Describe(*p->program, scopes, buffer);
      const std::pair<int, std::string> keys[] = {{0, std::string(Name(buffer.kind))},
                                                  {1, std::move(text.category)},
                                                  {2, std::move(text.scope)},
                                                  {3, std::move(text.shape)}};
      for (const auto& key : keys) {
        sums[key].bytes += buffer.bytes;
        sums[key].count += 1;
      }
    }
    std::vector<std::tuple<int, std::string, Sum>> order;
    for (const auto& [key, sum] : sums) order.emplace_back(key.first, key.second, sum);
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) {
      if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
      return std::get<2>(a).bytes > std::get<2>(b).bytes;
    });
    constexpr const char* kBy[] = {"kind", "category", "scope", "shape"};
    for (auto& [by, group, sum] : order) {
      table.rows.push_back({host.view->host->name, p->program->name, kBy[by],
                            TextCell(group, "the program does not say"), sum.bytes,
                            Percent(sum.bytes, p->total() - p->packing()), sum.count});
    }
  }
  return table;
}

Table MemoryScheduleTable(std::span<const HostMemory> hosts) {
  Table table;
  table.name = "memory_schedule";
  table.hidden = true;
  table.key = "instruction";
  table.if_empty = "no program of this capture came with a trace of its heap";
  table.columns = {
      HostColumn(hosts.size() == 1),
      {"program", Type::kText, unit::kNone, {.hidden = true}, "the program"},
      ProgramIdColumn("its id"),
      {"position", Type::kInteger, unit::kNone, {.identifier = true}, "place in the schedule, from 0"},
      {"instruction", Type::kText, unit::kNone, {.elastic = true}, "the HLO instruction that runs there"},
      BytesColumn("bytes", "live", "the most that is live from there to the next row")};
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
      const SchedulePoint& point = p->schedule[most];
      table.rows.push_back(
          {host.view->host->name, p->program->name, p->program->id, static_cast<uint64_t>(most),
           point.instruction.valid()
               ? TextCell(std::string(p->program->text((*p->program)[point.instruction].name)), "")
               : Cell(Unknown{"not in the program"}),
           point.bytes});
    }
  }
  return table;
}

}  // namespace gait::analyze

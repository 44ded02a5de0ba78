#include "gait/analyze/inspect/hlo.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/inspect/info_tables.h"
#include "gait/analyze/inspect/shardings.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/instruction_source.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"
#include "gait/trace/program_text.h"

namespace gait::analyze {
namespace {

constexpr double kMostBytes = 9e18;  // more is no size of anything, and no integer

std::string FullName(const Program& program) {
  return fmt::format("{}({})", program.name, static_cast<uint64_t>(program.id));
}

// Several hosts run the same programs: the first host that has it is as good as any.
Result<const Program*> FindProgram(const LoadedRun& run, const std::string& wanted) {
  std::vector<const Program*> exact;
  std::vector<const Program*> part;
  std::set<std::pair<std::string, uint64_t>> seen;
  const bool number_wanted = wanted.find_first_not_of("-0123456789") == std::string::npos;
  for (const LoadedHost& host : run.hosts) {
    for (const Program& program : host.trace.programs()) {
      const auto id = static_cast<uint64_t>(program.id);
      if (!seen.emplace(program.name, id).second) continue;
      // Ids of TPU programs use all 64 bits; other tools show them with a sign.
      for (const std::string& number : {std::to_string(id), std::to_string(static_cast<int64_t>(id))}) {
        if (number == wanted || fmt::format("{}({})", program.name, number) == wanted) return &program;
      }
      if (program.name == wanted) exact.push_back(&program);
      if (!number_wanted && program.name.contains(wanted))
        part.push_back(&program);  // "train_step" is enough
    }
  }
  const std::vector<const Program*>& found = exact.empty() ? part : exact;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return UsageError(fmt::format("no program is called '{}'.", wanted),
                      "List the programs with: " + Command("hlo", run));
  }
  std::vector<std::string> names;
  for (const Program* program : found) names.push_back(FullName(*program));
  constexpr size_t kNames = 4;
  if (names.size() > kNames) {
    names.resize(kNames);
    names.push_back("…");
  }
  return UsageError(
      fmt::format("'{}' could be {} programs: {}.", wanted, found.size(), fmt::join(names, ", ")),
      "Give the id, the number in parentheses.");
}

// Kernels are called after their instruction with "_" for ".": loop_fusion_25 for loop_fusion.25.
InstructionIndex FindInstruction(const Program& program, std::string name) {
  const InstructionIndex exact = program.Find(name);
  const size_t last = name.rfind('_');
  if (exact.valid() || last == std::string::npos) return exact;
  name[last] = '.';
  return program.Find(name);
}

NumberCell CostCell(const Program& program, const std::optional<double>& value, const Cost& cost) {
  return OrUnknown(value, std::string(program.text(cost.unknown_because)));
}

// By computation, whether its instructions run by themselves.
std::vector<bool> RunByThemselves(const Program& program) {
  std::vector<bool> alone(program.computations.size(), !program.entry.valid());
  for (const ComputationIndex computation : program.RunningComputations()) alone[computation.value] = true;
  return alone;
}

// An instruction with what the columns of a table of instructions share.
struct Listed {
  const Program& program;
  InstructionIndex index;
  InstructionOrigin origin = OriginOf(program, index);

  const Instruction& of() const { return program[index]; }
};

// Raw values for JSON and CSV; text shows the program itself unless rows are asked for.
TableOf<Listed> Instructions(const Program& program) {
  TableOf<Listed> t({.name = "instructions", .title = "instruction", .hidden = true});
  const auto text = [](auto get) {
    return [get](const Listed& i) { return std::string(i.program.text(std::invoke(get, i.of()))); };
  };
  const auto bytes = [alone = RunByThemselves(program)](std::optional<double> Cost::* member) {
    return [alone, member](const Listed& i) -> NumberCell {
      if (!alone[i.of().computation.value]) return Unknown{"inside another instruction"};
      return CostCell(i.program, i.of().cost.*member, i.of().cost);
    };
  };
  t.Add("name", {.elastic = true}, "of the instruction", text(&Instruction::name));
  t.Add("opcode", "what it does", text(&Instruction::opcode));
  t.Add("shape", {.elastic = true, .optional = true}, "of its result, with the layout",
        [](const Listed& i) { return i.program.ShapeText(i.of().shape); });
  t.Add("computation", {.elastic = true, .optional = true}, "that it is part of", [](const Listed& i) {
    return i.program.text(i.program.computations[i.of().computation.value].name);
  });
  t.Add("flops", unit::kFlop, {}, "of one execution, computed from the shapes",
        [](const Listed& i) { return CostCell(i.program, i.of().cost.flops, i.of().cost); });
  t.Add("bytes_read", unit::kBytes, {.head = "read"},
        "by one execution; unknown inside a fusion, whose own row has it", bytes(&Cost::bytes_read));
  t.Add("bytes_written", unit::kBytes, {.head = "written"}, "by one execution, likewise",
        bytes(&Cost::bytes_written));
  t.Add("scope", {.elastic = true, .optional = true}, "where it comes from in the model",
        [](const Listed& i) { return OrUnknown(i.origin.scope, ""); });
  t.Add("source", {.elastic = true, .optional = true}, "and in the Python code",
        [](const Listed& i) { return OrUnknown(i.origin.source, ""); });
  return t;
}

Table AllInstructions(std::shared_ptr<const LoadedRun> run, const Program& program) {
  const size_t count = program.instructions.size();
  return Instructions(program).From(
      [owner = std::move(run), &program, count, next = size_t{0}]() mutable -> std::optional<Listed> {
        if (next >= count) return std::nullopt;
        return Listed{program, InstructionIndex(next++)};
      },
      count);
}

// Each row has a unit of its own: people see the value with it, JSON and CSV the raw value beside it.
Table PropertiesTable(const Program& program, const Instruction& instruction,
                      const InstructionOrigin& origin) {
  struct Property {
    const char* name;
    Cell value;
    std::string_view unit;
  };
  TableOf<Property> t({.name = "properties"});
  t.Add("name", {.head = " "}, "", &Property::name);
  t.Add("value", {.head = " ", .elastic = true}, "", &Property::value);
  t.Hidden("unit", "of the value", &Property::unit);
  const auto add = [&](const char* name, Cell value, std::string_view unit_name = unit::kNone) {
    t.Row({name, std::move(value), unit_name});
  };
  const auto text = [&](const char* name, std::string_view value) {
    if (!value.empty()) add(name, value);
  };
  const auto place = [&](const char* name, const std::string& value, const std::string& from) {
    if (value.empty()) return add(name, Unknown{});
    add(name, Cell(value).ShownAs(from.empty() ? value : fmt::format("{} (from {})", value, from)));
  };
  const std::string why(program.text(instruction.cost.unknown_because));
  const auto unknown = [&] { return Cell(Unknown{why}).ShownAs(why.empty() ? "–" : "– (" + why + ")"); };
  const auto bytes = [&](const char* name, const std::optional<double>& value) {
    if (!value) return add(name, unknown(), unit::kBytes);
    const auto count = static_cast<uint64_t>(std::clamp(*value, 0.0, kMostBytes));
    add(name, Cell(count).ShownAs(report::BytesText(count)), unit::kBytes);
  };
  const std::optional<double>& flops = instruction.cost.flops;
  text("computation", program.text(program.computations[instruction.computation.value].name));
  place("scope", origin.scope, origin.scope_from);
  place("source", origin.source, origin.source_from);
  add("compute", flops ? Cell(*flops).ShownAs(report::AmountText(*flops, unit::kFlop)) : unknown(),
      unit::kFlop);
  bytes("reads", instruction.cost.bytes_read);
  bytes("writes", instruction.cost.bytes_written);
  text("fusion", program.text(instruction.fusion_kind));
  text("target", program.text(instruction.custom_call_target));
  return t.Done();
}

Table NeighboursTable(const Program& program, InstructionIndex index) {
  struct Neighbour {
    std::string_view name;
    const char* relation;
    std::string_view opcode;
    TextCell shape;
  };
  TableOf<Neighbour> t({.name = "neighbours", .title = "operands and users"});
  t.Add("name", {.elastic = true}, "of another instruction or computation", &Neighbour::name);
  t.Add("relation", {.head = "is"}, "what it is to this one", &Neighbour::relation);
  t.Add("opcode", "what it does", &Neighbour::opcode);
  t.Add("shape", {.elastic = true}, "of its result", &Neighbour::shape);
  const auto add = [&](InstructionIndex i, const char* relation) {
    const Instruction& other = program[i];
    t.Row({program.text(other.name), relation, program.text(other.opcode), program.ShapeText(other.shape)});
  };
  const Instruction& instruction = program[index];
  for (const InstructionIndex operand : instruction.operands) add(operand, "operand");
  for (const InstructionIndex earlier : instruction.control_predecessors) add(earlier, "control predecessor");
  for (const InstructionIndex user : Users(program, index)) add(user, "user");
  for (const ComputationIndex called : instruction.called) {
    t.Row({program.text(program.computations[called.value].name), "called computation", "computation",
           Unknown{}});
  }
  return t.Done();
}

// The Python stack, innermost frame first.
Table StackTable(const Program& program, FrameId frame) {
  TableOf<StackLine> t({.name = "stack", .title = "source"});
  t.Add("source", {.elastic = true}, "file and line, innermost first", &StackLine::source);
  t.Add("function", {.elastic = true}, "that the line is in", &StackLine::function);
  return t.Of(StackOf(program, frame));
}

void DescribeInstruction(const Program& program, InstructionIndex index, report::Document& document) {
  const Instruction& instruction = program[index];
  const InstructionOrigin origin = OriginOf(program, index);
  document.answer =
      fmt::format("{}: {}{}{} in {}.", program.text(instruction.name), program.text(instruction.opcode),
                  origin.source.empty() ? "" : " of ", origin.source, program.name);
  document.tables = TablesOf(Instructions(program).Of(std::vector{Listed{program, index}}),
                             PropertiesTable(program, instruction, origin), NeighboursTable(program, index),
                             StackTable(program, origin.frame));
  document.texts.push_back({"instruction", InstructionText(program, index)});
  std::string called;
  for (const ComputationIndex c : instruction.called) called += ComputationText(program, c) + "\n";
  if (!called.empty()) document.texts.push_back({"called", called});
}

}  // namespace

Result<report::Document> HloDocument(const std::shared_ptr<const LoadedRun>& run, const std::string& wanted,
                                     const std::string& instruction) {
  report::Document document = NewDocument("hlo", *run);
  if (wanted.empty()) {
    Table programs = ProgramsTable(*run);
    programs.text_rows = 0;
    document.answer = report::Plural(programs.rows.size(), "program") + ".";
    if (!programs.rows.empty()) {
      const report::Row& first = programs.rows[0];
      const auto same = [&](const report::Row& row) { return row[0].text() == first[0].text(); };
      const bool unique = std::ranges::count_if(programs.rows, same) == 1;
      const size_t id = report::FindColumn(programs, "id");
      document.next = {Command("hlo", *run, unique ? first[0].text() : first[id].RawNumber())};
    }
    document.tables = TablesOf(std::move(programs), ShardingsTable(*run));
    document.main_table = "programs";
    return document;
  }
  GAIT_TRY(const Program* program, FindProgram(*run, wanted));
  if (instruction.empty()) {
    document.answer = fmt::format("{}: {} in {}.", FullName(*program),
                                  report::Plural(program->instructions.size(), "instruction"),
                                  report::Plural(program->computations.size(), "computation"));
    document.tables.push_back(AllInstructions(run, *program));
    document.texts.push_back({"program", ProgramText(*program)});
    return document;
  }
  const std::string_view name =
      instruction.starts_with('%') ? std::string_view(instruction).substr(1) : instruction;
  const InstructionIndex index = FindInstruction(*program, std::string(name));
  if (!index.valid()) {
    return UsageError(fmt::format("{} has no instruction '{}'.", program->name, name),
                      fmt::format("Look for it with: {} --name {}", Command("hlo", *run, wanted),
                                  ShellWord(std::string(name))));
  }
  DescribeInstruction(*program, index, document);
  return document;
}

}  // namespace gait::analyze

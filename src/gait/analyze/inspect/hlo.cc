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

Cell TextCell(std::string text) { return text.empty() ? Cell(Unknown{}) : Cell(std::move(text)); }

Cell CostCell(const Program& program, const std::optional<double>& value, const Cost& cost) {
  return value ? Cell(*value) : Cell(Unknown{std::string(program.text(cost.unknown_because))});
}

// By computation, whether its instructions run by themselves.
std::vector<bool> RunByThemselves(const Program& program) {
  std::vector<bool> alone(program.computations.size(), !program.entry.valid());
  for (const ComputationIndex computation : program.RunningComputations()) alone[computation.value] = true;
  return alone;
}

// Raw values for JSON and CSV; text shows the program itself unless rows are asked for.
Table InstructionsTable() {
  Table table{
      "instructions",
      "instruction",
      {TextColumn("name", {.elastic = true}, "of the instruction"),
       TextColumn("opcode", {}, "what it does"),
       TextColumn("shape", {.elastic = true, .optional = true}, "of its result, with the layout"),
       TextColumn("computation", {.elastic = true, .optional = true}, "that it is part of"),
       {"flops", Type::kNumber, unit::kFlop, {}, "of one execution, computed from the shapes"},
       {"bytes_read",
        Type::kNumber,
        unit::kBytes,
        {.head = "read"},
        "by one execution; unknown inside a fusion, whose own row has it"},
       {"bytes_written", Type::kNumber, unit::kBytes, {.head = "written"}, "by one execution, likewise"},
       TextColumn("scope", {.elastic = true, .optional = true}, "where it comes from in the model"),
       TextColumn("source", {.elastic = true, .optional = true}, "and in the Python code")},
      {}};
  table.hidden = true;
  return table;
}

report::Row InstructionRow(const Program& program, InstructionIndex index, const std::vector<bool>& alone) {
  const Instruction& i = program[index];
  const auto bytes = [&](const std::optional<double>& value) {
    return alone[i.computation.value] ? CostCell(program, value, i.cost)
                                      : Cell(Unknown{"inside another instruction"});
  };
  InstructionOrigin origin = OriginOf(program, index);
  return {program.text(i.name),
          program.text(i.opcode),
          program.ShapeText(i.shape),
          program.text(program.computations[i.computation.value].name),
          CostCell(program, i.cost.flops, i.cost),
          bytes(i.cost.bytes_read),
          bytes(i.cost.bytes_written),
          TextCell(std::move(origin.scope)),
          TextCell(std::move(origin.source))};
}

Table AllInstructions(std::shared_ptr<const LoadedRun> run, const Program& program) {
  Table table = InstructionsTable();
  table.more_rows = program.instructions.size();
  table.more = [owner = std::move(run), &program, alone = RunByThemselves(program),
                next = size_t{0}](report::Row& row) mutable {
    if (next >= program.instructions.size()) return false;
    row = InstructionRow(program, InstructionIndex(next++), alone);
    return true;
  };
  return table;
}

// Each row has a unit of its own: people see the value with it, JSON and CSV the raw value beside it.
Table PropertiesTable(const Program& program, const Instruction& instruction,
                      const InstructionOrigin& origin) {
  Table table{"properties",
              "",
              {TextColumn("name", {.head = " "}, ""),
               {"value", Type::kAny, unit::kNone, {.head = " ", .elastic = true}},
               TextColumn("unit", {.hidden = true}, "of the value")},
              {}};
  const auto add = [&](const char* name, Cell value, std::string_view unit_name = unit::kNone) {
    table.rows.push_back({name, std::move(value), unit_name});
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
  return table;
}

Table NeighboursTable(const Program& program, InstructionIndex index) {
  Table table{
      "neighbours",
      "operands and users",
      {TextColumn("name", {.elastic = true}, "of another instruction or computation"),
       TextColumn("relation", {.head = "is"}, "what it is to this one"),
       TextColumn("opcode", {}, "what it does"), TextColumn("shape", {.elastic = true}, "of its result")},
      {}};
  const auto add = [&](InstructionIndex i, const char* relation) {
    const Instruction& other = program[i];
    table.rows.push_back(
        {program.text(other.name), relation, program.text(other.opcode), program.ShapeText(other.shape)});
  };
  const Instruction& instruction = program[index];
  for (const InstructionIndex operand : instruction.operands) add(operand, "operand");
  for (const InstructionIndex earlier : instruction.control_predecessors) add(earlier, "control predecessor");
  for (const InstructionIndex user : Users(program, index)) add(user, "user");
  for (const ComputationIndex called : instruction.called) {
    table.rows.push_back({program.text(program.computations[called.value].name), "called computation",
                          "computation", Unknown{}});
  }
  return table;
}

// The Python stack, innermost frame first.
Table StackTable(const Program& program, FrameId frame) {
  Table table{"stack",
              "source",
              {TextColumn("source", {.elastic = true}, "file and line, innermost first"),
               TextColumn("function", {.elastic = true}, "that the line is in")},
              {}};
  for (StackLine& line : StackOf(program, frame)) {
    table.rows.push_back({std::move(line.source), std::move(line.function)});
  }
  return table;
}

void DescribeInstruction(const Program& program, InstructionIndex index, report::Document& document) {
  const Instruction& instruction = program[index];
  const InstructionOrigin origin = OriginOf(program, index);
  document.answer =
      fmt::format("{}: {}{}{} in {}.", program.text(instruction.name), program.text(instruction.opcode),
                  origin.source.empty() ? "" : " of ", origin.source, program.name);
  Table raw = InstructionsTable();
  raw.rows.push_back(InstructionRow(program, index, RunByThemselves(program)));
  document.tables = TablesOf(std::move(raw), PropertiesTable(program, instruction, origin),
                             NeighboursTable(program, index), StackTable(program, origin.frame));
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

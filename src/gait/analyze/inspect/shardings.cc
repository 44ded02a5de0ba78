#include "gait/analyze/inspect/shardings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/tables.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/base/parse_number.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextShardings = 16;

// "4,1,2" as numbers; nullopt: it is something else.
std::optional<std::vector<int64_t>> Numbers(std::string_view text) {
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto number = ParseNumber<int64_t>(text.substr(0, comma));
    if (!number || *number < 1) return std::nullopt;
    numbers.push_back(*number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return numbers;
}

// The array of all devices together; the sharding multiplies what one of them has.
std::string WholeShape(const Program& program, ShapeId shape, const ArraySharding& sharding) {
  const Shape& part = program.shape(shape);
  std::string whole = program.ShapeWithoutLayout(shape);
  if (sharding.tiles.size() != part.dimensions.size() || part.dimensions.empty()) return whole;
  std::vector<int64_t> dimensions = part.dimensions;
  for (size_t i = 0; i < dimensions.size(); ++i) dimensions[i] *= sharding.tiles[i];
  return fmt::format("{}[{}]", whole.substr(0, whole.find('[')), fmt::join(dimensions, ","));
}

// A parameter or a result of a program.
struct Array {
  const Program& program;
  const char* role;
  int64_t number;
  std::string name;
  ShapeId shape;
  const std::string& text;
  ArraySharding sharding;

  Array(const Program& of, const char* is, int64_t nth, std::string called, ShapeId part,
        const std::string& said)
      : program(of),
        role(is),
        number(nth),
        name(std::move(called)),
        shape(part),
        text(said),
        sharding(ParseSharding(said, of.shape(part).dimensions.size(), of.partition_count)) {}
};

std::vector<Array> ArraysOf(const Program& program) {
  std::vector<Array> arrays;
  if (!program.entry.valid() || program.partition_count < 2 || IsProfilersProgram(program.name))
    return arrays;
  const Computation& entry = program.computations[program.entry.value];
  std::vector<const Instruction*> parameters;
  for (uint32_t i = entry.begin.value; i < entry.end.value; ++i) {
    const Instruction& instruction = program.instructions[i];
    if (program.text(instruction.opcode) == "parameter") parameters.push_back(&instruction);
  }
  std::ranges::sort(parameters, {}, &Instruction::number);
  for (const Instruction* parameter : parameters) {
    const auto number = static_cast<size_t>(std::max<int64_t>(parameter->number, 0));
    if (number >= program.parameter_shardings.size()) continue;
    std::string name(program.text(parameter->op_name));
    if (name.empty()) name = program.text(parameter->name);
    arrays.emplace_back(program, "parameter", parameter->number, std::move(name), parameter->shape,
                        program.parameter_shardings[number]);
  }
  if (!entry.root.valid() || program.result_shardings.empty()) return arrays;
  const ShapeId result = program[entry.root].shape;
  const Shape& shape = program.shape(result);
  const std::vector<ShapeId> elements =
      shape.type == ElementType::kTuple ? shape.elements : std::vector{result};
  for (size_t i = 0; i < elements.size(); ++i) {
    // One sharding may stand for all elements.
    const size_t at = program.result_shardings.size() == 1 ? 0 : i;
    if (at >= program.result_shardings.size()) break;
    arrays.emplace_back(program, "result", static_cast<int64_t>(i),
                        elements.size() == 1 ? "result" : fmt::format("result {}", i), elements[i],
                        program.result_shardings[at]);
  }
  return arrays;
}

}  // namespace

bool ArraySharding::split() const {
  return std::ranges::any_of(tiles, [](int64_t parts) { return parts > 1; });
}

std::string ArraySharding::InWords() const {
  if (!known) return "not known";
  if (device >= 0) return fmt::format("only on device {}", device);
  if (!split()) return "replicated";
  std::vector<std::string> ways;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i] > 1) ways.push_back(fmt::format("{} ways along dimension {}", tiles[i], i));
  }
  std::string text = fmt::format("split {}", fmt::join(ways, " and "));
  if (copies > 1) text += fmt::format(", {} copies", copies);
  return text;
}

ArraySharding ParseSharding(std::string_view text, size_t dimensions, int64_t devices) {
  ArraySharding sharding;
  sharding.copies = std::max<int64_t>(devices, 1);
  if (text.empty() || text == "replicated") return sharding;
  constexpr std::string_view kMaximal = "maximal device=";
  constexpr std::string_view kTiles = "devices=[";
  if (text.starts_with(kMaximal)) {
    sharding.device = ParseNumber<int64_t>(text.substr(kMaximal.size())).value_or(0);
    sharding.copies = 1;
    return sharding;
  }
  const size_t end = text.find(']');
  const auto tiles = text.starts_with(kTiles) && end != std::string_view::npos
                         ? Numbers(text.substr(kTiles.size(), end - kTiles.size()))
                         : std::nullopt;
  if (!tiles || tiles->size() < dimensions) {
    sharding.known = false;
    return sharding;
  }
  // What is behind the array's own dimensions tells which devices have the same part.
  sharding.tiles.assign(tiles->begin(), tiles->begin() + static_cast<ptrdiff_t>(dimensions));
  sharding.copies = 1;
  for (size_t i = dimensions; i < tiles->size(); ++i) sharding.copies *= (*tiles)[i];
  return sharding;
}

report::Table ShardingsTable(const LoadedRun& run) {
  using A = Array;
  TableOf<A> t({.name = "shardings", .title = "array", .text_rows = kTextShardings});
  t.Add("name", {.elastic = true}, "of the parameter, as the Python code calls it, or which result",
        &A::name);
  t.Add("program", {.elastic = true, .optional = true}, "the compiled program that takes or gives it",
        [](const A& a) { return a.program.name; });
  AddProgramId(t, [](const A& a) { return a.program.id; });
  t.Hidden("role", "parameter or result", &A::role);
  t.Add("number", {.hidden = true, .identifier = true}, "its place among these", &A::number);
  t.Add("shape", {.optional = true}, "of the whole array, over all devices",
        [](const A& a) { return WholeShape(a.program, a.shape, a.sharding); });
  t.Add("on_device", {.head = "on a device", .wide = true}, "of the part that one device has",
        [](const A& a) { return a.program.ShapeWithoutLayout(a.shape); });
  t.Add("lies", {.head = "over the devices"},
        "split along which dimensions, or replicated: each device has all of it",
        [](const A& a) { return a.sharding.InWords(); });
  t.Hidden("devices", "partitions of the program", [](const A& a) { return a.program.partition_count; });
  t.Add("copies", "how many devices have the same part", [](const A& a) -> CellOf<int64_t> {
    if (!a.sharding.known) return Unknown{"the sharding does not say"};
    return a.sharding.copies;
  });
  t.Add("bytes", unit::kBytes, {.head = "on each"}, "of the part that one device has", [](const A& a) {
    return OrUnknown(a.program.ByteSize(a.shape), "its size does not follow from its shape");
  });
  t.Hidden("sharding", "as XLA writes it", [](const A& a) { return a.text.empty() ? "replicated" : a.text; });
  std::set<std::pair<std::string, uint64_t>> seen;
  for (const LoadedHost& host : run.hosts) {
    for (const Program& program : host.trace.programs()) {
      if (seen.emplace(program.name, program.id).second) t.Rows(ArraysOf(program));
    }
  }
  Table table = t.Done();
  table.hidden = table.rows.empty();
  return table;
}

}  // namespace gait::analyze

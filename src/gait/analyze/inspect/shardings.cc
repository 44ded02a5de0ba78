#include "gait/analyze/inspect/shardings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/run/tables.h"
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

class Rows {
 public:
  explicit Rows(report::Table& table) : table_(table) {}

  void Add(const Program& program) {
    if (!program.entry.valid() || program.partition_count < 2) return;
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
      AddRow(program, "parameter", parameter->number, std::move(name), parameter->shape,
             program.parameter_shardings[number]);
    }
    if (!entry.root.valid() || program.result_shardings.empty()) return;
    const ShapeId result = program[entry.root].shape;
    const Shape& shape = program.shape(result);
    const std::vector<ShapeId> elements =
        shape.type == ElementType::kTuple ? shape.elements : std::vector{result};
    for (size_t i = 0; i < elements.size(); ++i) {
      // One sharding may stand for all elements.
      const size_t at = program.result_shardings.size() == 1 ? 0 : i;
      if (at >= program.result_shardings.size()) return;
      AddRow(program, "result", static_cast<int64_t>(i),
             elements.size() == 1 ? "result" : fmt::format("result {}", i), elements[i],
             program.result_shardings[at]);
    }
  }

 private:
  void AddRow(const Program& program, const char* role, int64_t number, std::string name, ShapeId shape,
              const std::string& text) {
    const ArraySharding sharding =
        ParseSharding(text, program.shape(shape).dimensions.size(), program.partition_count);
    const auto bytes = program.ByteSize(shape);
    table_.rows.push_back(
        {std::move(name), program.name, program.id, role, number, WholeShape(program, shape, sharding),
         program.ShapeWithoutLayout(shape), sharding.InWords(), program.partition_count,
         sharding.known ? Cell(sharding.copies) : Cell(Unknown{"the sharding does not say"}),
         bytes ? Cell(*bytes) : Cell(Unknown{"its size does not follow from its shape"}),
         text.empty() ? std::string("replicated") : text});
  }

  report::Table& table_;
};

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
  report::Table table{
      "shardings",
      "array",
      {TextColumn("name", {.elastic = true},
                  "of the parameter, as the Python code calls it, or which result"),
       TextColumn("program", {.elastic = true, .optional = true},
                  "the compiled program that takes or gives it"),
       ProgramIdColumn(),
       TextColumn("role", {.hidden = true}, "parameter or result"),
       {"number", Type::kInteger, unit::kNone, {.hidden = true, .identifier = true}, "its place among these"},
       TextColumn("shape", {.optional = true}, "of the whole array, over all devices"),
       TextColumn("on_device", {.head = "on a device", .wide = true}, "of the part that one device has"),
       TextColumn("lies", {.head = "over the devices"},
                  "split along which dimensions, or replicated: each device has all of it"),
       {"devices", Type::kInteger, unit::kNone, {.hidden = true}, "partitions of the program"},
       {"copies", Type::kInteger, unit::kNone, {}, "how many devices have the same part"},
       {"bytes", Type::kInteger, unit::kBytes, {.head = "on each"}, "of the part that one device has"},
       TextColumn("sharding", {.hidden = true}, "as XLA writes it")},
      {}};
  table.text_rows = kTextShardings;
  std::set<std::pair<std::string, uint64_t>> seen;
  Rows rows(table);
  for (const LoadedHost& host : run.hosts) {
    for (const Program& program : host.trace.programs()) {
      if (seen.emplace(program.name, program.id).second) rows.Add(program);
    }
  }
  table.hidden = table.rows.empty();
  return table;
}

}  // namespace gait::analyze

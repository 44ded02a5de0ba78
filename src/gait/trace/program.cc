#include "gait/trace/program.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace gait {
namespace {

struct TypeFacts {
  std::string_view name;
  int bits;
};

// By the number of the element type.
constexpr std::array<TypeFacts, 37> kTypes = {{
    {"invalid", 0},    {"pred", 8},     {"s8", 8},       {"s16", 16},          {"s32", 32},
    {"s64", 64},       {"u8", 8},       {"u16", 16},     {"u32", 32},          {"u64", 64},
    {"f16", 16},       {"f32", 32},     {"f64", 64},     {"tuple", 0},         {"opaque", 0},
    {"c64", 64},       {"bf16", 16},    {"token", 0},    {"c128", 128},        {"f8e5m2", 8},
    {"f8e4m3fn", 8},   {"s4", 4},       {"u4", 4},       {"f8e4m3b11fnuz", 8}, {"f8e5m2fnuz", 8},
    {"f8e4m3fnuz", 8}, {"s2", 2},       {"u2", 2},       {"f8e4m3", 8},        {"f8e3m4", 8},
    {"s1", 1},         {"u1", 1},       {"f4e2m1fn", 4}, {"f8e8m0fnu", 8},     {"buffer", 0},
    {"f6e3m2fn", 6},   {"f6e2m3fn", 6},
}};

TypeFacts Facts(ElementType type) {
  const auto number = static_cast<size_t>(type);
  return number < kTypes.size() ? kTypes[number] : TypeFacts{"unknown", 0};
}

std::optional<int64_t> Product(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> CountElements(const Shape& shape) {
  if (!shape.elements.empty() || shape.type == ElementType::kTuple || shape.dynamic != 0) return std::nullopt;
  // A dimension of 0 makes the product 0, but only if no other one is absurd.
  std::optional<int64_t> count = 1;
  bool empty = false;
  for (const int64_t size : shape.dimensions) {
    if (size < 0) return std::nullopt;
    if (size == 0) empty = true;
    if (size > 0 && count) count = Product(*count, size);
  }
  return empty ? 0 : count;
}

void AppendLayout(const Shape& shape, std::string& out) {
  const bool more = !shape.tiles.empty() || shape.memory_space != 0 || shape.element_bits != 0;
  if (shape.minor_to_major.empty() && !more) return;
  fmt::format_to(std::back_inserter(out), "{{{}", fmt::join(shape.minor_to_major, ","));
  if (more) {
    out += ':';
    if (!shape.tiles.empty()) out += 'T';
    for (const auto& tile : shape.tiles)
      fmt::format_to(std::back_inserter(out), "({})", fmt::join(tile, ","));
    if (shape.element_bits != 0) fmt::format_to(std::back_inserter(out), "E({})", shape.element_bits);
    if (shape.memory_space != 0) fmt::format_to(std::back_inserter(out), "S({})", shape.memory_space);
  }
  out += '}';
}

enum class Layouts { kShown, kLeftOut };

void AppendShape(const Program& program, const Shape& shape, Layouts layouts, std::string& out) {
  if (shape.type == ElementType::kTuple || shape.type == ElementType::kBuffer) {
    out += shape.type == ElementType::kBuffer ? "b(" : "(";
    for (size_t i = 0; i < shape.elements.size(); ++i) {
      if (i > 0) out += ", ";
      AppendShape(program, program.shape(shape.elements[i]), layouts, out);
    }
    out += ')';
    return;
  }
  out += Name(shape.type);
  out += '[';
  for (size_t i = 0; i < shape.dimensions.size(); ++i) {
    if (i > 0) out += ',';
    const bool dynamic = i < 64 && (shape.dynamic >> i & 1) != 0;
    if (shape.dimensions[i] < 0) {
      out += '?';
    } else {
      fmt::format_to(std::back_inserter(out), "{}{}", dynamic ? "<=" : "", shape.dimensions[i]);
    }
  }
  out += ']';
  if (layouts == Layouts::kShown) AppendLayout(shape, out);
}

}  // namespace

std::string_view Name(ElementType type) { return Facts(type).name; }

int BitWidth(ElementType type) { return Facts(type).bits; }

InstructionIndex Program::Find(std::string_view instruction_name) const {
  const auto name_id = strings.Find(instruction_name);
  if (!name_id) return {};
  const auto found = by_name_.find(name_id->value);
  return found == by_name_.end() ? InstructionIndex() : found->second;
}

std::optional<int64_t> Program::ElementCount(ShapeId s) const {
  return s.value < shapes.size() ? CountElements(shapes[s.value]) : std::nullopt;
}

std::optional<int64_t> Program::ComputeByteSize(const Shape& s) const {
  if (s.type == ElementType::kTuple || s.type == ElementType::kBuffer) {
    int64_t sum = 0;
    for (const ShapeId element : s.elements) {
      const auto size = ByteSize(element);
      if (!size || __builtin_add_overflow(sum, *size, &sum)) return std::nullopt;
    }
    return sum;
  }
  if (s.type == ElementType::kToken || s.type == ElementType::kOpaque) return 0;
  const int width = BitWidth(s.type);
  const auto count = CountElements(s);
  if (width == 0 || !count) return std::nullopt;
  // Narrow types take a whole byte each unless the layout packs them.
  const int bits = s.element_bits > 0 ? s.element_bits : (width + 7) / 8 * 8;
  const auto total = Product(*count, bits);
  return total ? std::optional(*total / 8 + (*total % 8 != 0)) : std::nullopt;
}

std::optional<int64_t> Program::ByteSize(ShapeId s) const {
  if (s.value < byte_sizes_.size()) return byte_sizes_[s.value];
  return s.value < shapes.size() ? ComputeByteSize(shapes[s.value]) : std::nullopt;
}

std::string Program::ShapeText(ShapeId s) const {
  std::string out;
  if (s.value < shapes.size()) AppendShape(*this, shapes[s.value], Layouts::kShown, out);
  return out;
}

std::string Program::ShapeWithoutLayout(ShapeId s) const {
  std::string out;
  if (s.value < shapes.size()) AppendShape(*this, shapes[s.value], Layouts::kLeftOut, out);
  return out;
}

std::vector<ComputationIndex> Program::RunningComputations() const {
  std::vector<ComputationIndex> found;
  if (!entry.valid()) return found;
  std::vector<bool> seen(computations.size());
  const auto add = [&](ComputationIndex computation) {
    if (!seen[computation.value]) found.push_back(computation);
    seen[computation.value] = true;
  };
  add(entry);
  for (size_t next = 0; next < found.size(); ++next) {
    const Computation& computation = computations[found[next].value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      const std::string_view opcode = text(instructions[i].opcode);
      if (opcode != "while" && opcode != "conditional" && opcode != "call") continue;
      for (const ComputationIndex called : instructions[i].called) add(called);
    }
  }
  return found;
}

void Program::BuildIndex() {
  by_name_.clear();
  by_name_.reserve(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) {
    const auto [at, added] = by_name_.try_emplace(instructions[i].name.value, InstructionIndex(i));
    if (!added && instructions[i].computation == entry &&
        instructions[at->second.value].computation != entry) {
      at->second = InstructionIndex(i);
    }
  }
  // Elements come before their tuple, so one pass fills the table; inside it ByteSize finds them computed.
  byte_sizes_.clear();
  byte_sizes_.reserve(shapes.size());
  for (const Shape& s : shapes) byte_sizes_.push_back(ComputeByteSize(s));
}

}  // namespace gait

#include "gait/analyze/verdict/doctor/program_facts.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

constexpr int kDeepest = 4;  // fusions inside fusions

bool IsProduct(std::string_view opcode) {
  return opcode == "dot" || opcode == "ragged-dot" || opcode == "scaled-dot" || opcode == "convolution";
}

void Offer(const Program& program, const Instruction& caller, int depth, const Instruction*& best) {
  for (const ComputationIndex called : caller.called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      const Instruction& inner = program.instructions[i];
      const std::string_view opcode = program.text(inner.opcode);
      if (IsProduct(opcode) &&
          (best == nullptr || inner.cost.flops.value_or(0) > best->cost.flops.value_or(0))) {
        best = &inner;
      }
      if (opcode == "fusion" && depth < kDeepest) Offer(program, inner, depth + 1, best);
    }
  }
}

// Those of the computations that a fusion calls, or the instruction itself.
template <typename Fits>
bool AnyInside(const Program& program, const Instruction& own, Fits fits) {
  if (program.text(own.opcode) != "fusion") return fits(own);
  return std::ranges::any_of(own.called, [&](ComputationIndex called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      if (fits(program.instructions[i])) return true;
    }
    return false;
  });
}

// The dimensions that are longer than one, those that vary fastest in memory first.
std::vector<int64_t> MemoryOrder(const Shape& shape) {
  std::vector<int64_t> order;
  const auto rank = static_cast<int64_t>(shape.dimensions.size());
  for (int64_t i = 0; i < rank; ++i) {
    const bool given = shape.minor_to_major.size() == shape.dimensions.size();
    const int64_t dimension = given ? shape.minor_to_major[static_cast<size_t>(i)] : rank - 1 - i;
    if (dimension < 0 || dimension >= rank) return {};
    if (shape.dimensions[static_cast<size_t>(dimension)] != 1) order.push_back(dimension);
  }
  return order;
}

bool ReordersItself(const Program& program, const Instruction& own) {
  const bool transpose = program.text(own.opcode) == "transpose";
  if (!transpose && program.text(own.opcode) != "copy") return false;
  if (own.operands.empty() || !own.operands[0].valid()) return transpose;
  const Shape& from = program.shape(program[own.operands[0]].shape);
  const Shape& to = program.shape(own.shape);
  std::vector<int64_t> order = MemoryOrder(to);
  for (int64_t& dimension : order) {  // of the result; as a dimension of the operand
    const auto at = static_cast<size_t>(dimension);
    if (transpose && at < own.dimensions.size()) dimension = own.dimensions[at];
  }
  return order != MemoryOrder(from) || to.tiles != from.tiles;
}

constexpr int64_t kAlignBytes = 16;  // of a row, for the matrix units

// The dimension that lies contiguous in memory; 0: none.
int64_t MinorDimension(const Shape& shape) {
  if (shape.dimensions.empty()) return 0;
  const size_t minor = shape.minor_to_major.empty() ? shape.dimensions.size() - 1
                                                    : static_cast<size_t>(shape.minor_to_major[0]);
  return minor < shape.dimensions.size() ? shape.dimensions[minor] : 0;
}

constexpr int kFarthest = 8;  // users of users

// Through elements of tuples and into fusions.
bool UsesAreSlices(const Program& program, const std::vector<std::vector<InstructionIndex>>& users,
                   InstructionIndex of, int depth) {
  if (depth > kFarthest || users[of.value].empty()) return false;
  return std::ranges::all_of(users[of.value], [&](InstructionIndex user) {
    const Instruction& own = program[user];
    const std::string_view opcode = program.text(own.opcode);
    if (opcode == "slice" || opcode == "dynamic-slice") return true;
    if (opcode == "get-tuple-element" || opcode == "bitcast")
      return UsesAreSlices(program, users, user, depth + 1);
    if (opcode != "fusion" || own.called.empty()) return false;
    const Computation& fused = program.computations[own.called[0].value];
    for (uint32_t i = fused.begin.value; i < fused.end.value; ++i) {
      const Instruction& inner = program.instructions[i];
      if (program.text(inner.opcode) != "parameter" ||
          static_cast<size_t>(inner.number) >= own.operands.size())
        continue;
      if (own.operands[static_cast<size_t>(inner.number)] == of &&
          !UsesAreSlices(program, users, InstructionIndex(i), depth + 1)) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace

bool Reorders(const Program& program, InstructionIndex index) {
  return AnyInside(program, program[index], [&](const Instruction& i) { return ReordersItself(program, i); });
}

bool OnlyCopies(const Program& program, InstructionIndex index) {
  const Instruction& own = program[index];
  const auto is = [&](const Instruction& i, std::initializer_list<std::string_view> opcodes) {
    return std::ranges::find(opcodes, program.text(i.opcode)) != opcodes.end();
  };
  const auto copies = [&](const Instruction& i) { return is(i, {"copy"}) && !ReordersItself(program, i); };
  const auto other = [&](const Instruction& i) {
    return !copies(i) && !is(i, {"parameter", "bitcast", "tuple", "get-tuple-element"});
  };
  return AnyInside(program, own, copies) && !AnyInside(program, own, other);
}

const Instruction* ProductOf(const Program& program, InstructionIndex index) {
  const Instruction& own = program[index];
  if (IsProduct(program.text(own.opcode))) return &own;
  const Instruction* best = nullptr;
  Offer(program, own, 0, best);
  if (best == nullptr && program.text(own.opcode) == "custom-call" && own.operands.size() >= 2) return &own;
  return best;
}

std::string MisalignedRows(const Program& program, const Instruction& product) {
  std::vector<ShapeId> shapes = {product.shape};
  for (size_t i = 0; i < product.operands.size() && i < 2; ++i) {
    shapes.push_back(program[product.operands[i]].shape);
  }
  for (const ShapeId id : shapes) {
    const Shape& shape = LargestArray(program, id);
    const int64_t minor = MinorDimension(shape);
    const int64_t bits = minor * BitWidth(shape.type);
    if (shape.dimensions.size() >= 2 && minor > 1 && bits % (8 * kAlignBytes) != 0) {
      return fmt::format("{}: rows of {}", program.ShapeWithoutLayout(id), minor);
    }
  }
  return {};
}

std::string KernelsNameOf(const Operation& operation) {
  return operation.program->name + "/" + operation.name;
}

std::vector<std::vector<InstructionIndex>> UsersOf(const Program& program) {
  std::vector<std::vector<InstructionIndex>> users(program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    for (const InstructionIndex operand : program.instructions[i].operands) {
      if (operand.valid() && operand.value < users.size()) users[operand.value].emplace_back(i);
    }
  }
  return users;
}

const Shape& LargestArray(const Program& program, ShapeId id) {
  const Shape* shape = &program.shape(id);
  while (shape->type == ElementType::kTuple && !shape->elements.empty()) {
    const auto largest = std::ranges::max_element(
        shape->elements, {}, [&](ShapeId element) { return program.ByteSize(element).value_or(0); });
    shape = &program.shape(*largest);
  }
  return *shape;
}

bool IsOnlySliced(const Program& program, InstructionIndex instruction) {
  return UsesAreSlices(program, UsersOf(program), instruction, 0);
}

int64_t ResultBytes(const Program& program, ShapeId id) { return program.ByteSize(id).value_or(0); }

}  // namespace gait::analyze

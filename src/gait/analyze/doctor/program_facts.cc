#include "gait/analyze/doctor/program_facts.h"

#include <algorithm>

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

}  // namespace

const Instruction* ProductOf(const Program& program, InstructionIndex index) {
  const Instruction& own = program[index];
  if (IsProduct(program.text(own.opcode))) return &own;
  const Instruction* best = nullptr;
  Offer(program, own, 0, best);
  if (best == nullptr && program.text(own.opcode) == "custom-call" && own.operands.size() >= 2) return &own;
  return best;
}

bool Holds(const Program& program, InstructionIndex index, std::initializer_list<std::string_view> opcodes) {
  const auto wanted = [&](const Instruction& i) {
    return std::ranges::find(opcodes, program.text(i.opcode)) != opcodes.end();
  };
  const Instruction& own = program[index];
  if (wanted(own)) return true;
  if (program.text(own.opcode) != "fusion") return false;
  for (const ComputationIndex called : own.called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      if (wanted(program.instructions[i])) return true;
    }
  }
  return false;
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

int64_t ResultBytes(const Program& program, ShapeId id) { return program.ByteSize(id).value_or(0); }

}  // namespace gait::analyze

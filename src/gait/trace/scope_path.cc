#include "gait/trace/scope_path.h"

#include <algorithm>

#include "gait/base/limits.h"

namespace gait {
namespace {

bool Named(const Program& program, StringId id) { return !program.text(id).empty(); }

StringId InsideOf(const Program& program, const Instruction& caller, int depth, size_t& budget);

// The root first: it is what the computation is for. A root that only bundles results says nothing; its
// operands do.
StringId InsideOf(const Program& program, ComputationIndex called, int depth, size_t& budget) {
  if (called.value >= program.computations.size()) return StringId(0);
  const Computation& computation = program.computations[called.value];
  if (computation.root.value < program.instructions.size()) {
    const Instruction& root = program[computation.root];
    if (Named(program, root.op_name)) return root.op_name;
    for (const InstructionIndex operand : root.operands) {
      if (Named(program, program[operand].op_name)) return program[operand].op_name;
    }
  }
  for (uint32_t i = computation.begin.value; i < computation.end.value && budget > 0; ++i, --budget) {
    if (Named(program, program.instructions[i].op_name)) return program.instructions[i].op_name;
  }
  for (uint32_t i = computation.begin.value; i < computation.end.value && budget > 0; ++i, --budget) {
    const StringId found = InsideOf(program, program.instructions[i], depth + 1, budget);
    if (Named(program, found)) return found;
  }
  return StringId(0);
}

StringId InsideOf(const Program& program, const Instruction& caller, int depth, size_t& budget) {
  if (depth > limits::kMaxCallDepth) return StringId(0);
  for (const ComputationIndex called : caller.called) {
    const StringId found = InsideOf(program, called, depth, budget);
    if (Named(program, found)) return found;
  }
  return StringId(0);
}

}  // namespace

StringId ScopePath(const Program& program, InstructionIndex instruction) {
  const Instruction& own = program[instruction];
  if (Named(program, own.op_name)) return own.op_name;
  size_t budget = limits::kMaxScopeSearch;
  return InsideOf(program, own, 0, budget);
}

}  // namespace gait

// The memories between which a program's asynchronous copy moves an array.
#pragma once

#include <optional>

#include "gait/trace/program.h"

namespace gait::analyze {

struct CopiedMemories {
  bool from_host = false;
  bool to_host = false;
};

// For a copy-start, whose shape is (destination, source, context), and for a copy-done, whose operand is a
// copy-start. nullopt where the shapes do not say.
inline std::optional<CopiedMemories> CopiedMemoriesOf(const Program& program, const Instruction& own) {
  constexpr int kHostMemory = 5;  // as Shape::memory_space says
  const Instruction* start = &own;
  if (program.text(own.opcode) == "copy-done") {
    if (own.operands.empty() || own.operands[0].value >= program.instructions.size()) return std::nullopt;
    start = &program[own.operands[0]];
  }
  if (!start->shape.valid()) return std::nullopt;
  const Shape& shape = program.shape(start->shape);
  if (shape.elements.size() < 2) return std::nullopt;
  return CopiedMemories{.from_host = program.shape(shape.elements[1]).memory_space == kHostMemory,
                        .to_host = program.shape(shape.elements[0]).memory_space == kHostMemory};
}

}  // namespace gait::analyze

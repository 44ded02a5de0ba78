// The cost of one instruction by its opcode; definitions in cost.h.
#pragma once

#include <string_view>

#include "gait/read/hlo/cost_context.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// The cost of an instruction of every opcode but fusion. The totals of called computations must be in the
// context.
Cost OperationCost(CostContext& context, const Instruction& instruction);

// Whether each element of the result needs only its own share of each operand: elementwise operations,
// transposes, concatenations, reductions.
bool IsElementByElement(std::string_view opcode);

// 2 flops for each multiply-add of a product with these dimensions; nullopt when they do not fit the shapes.
Amount DotFlops(const DotDimensions& dot, const Shape& lhs, const Shape& rhs);

}  // namespace gait::hlo

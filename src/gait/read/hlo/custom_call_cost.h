// Costs of the custom calls that XLA makes itself.
//
// Known: cuBLAS and hipBLAS products (with their epilogues: 1 flop per element for each of bias, activation
// and addition to a third operand), cuDNN convolutions in all three directions, fused attention, Pallas
// kernels that state their cost, markers that do nothing. Attention counts the products of queries with keys
// and of scores with values, over the whole square: savings of a mask are not subtracted, and the softmax is
// not added. All other custom calls are foreign code with unknown cost.
#pragma once

#include "gait/read/hlo/cost_context.h"
#include "gait/trace/program.h"

namespace gait::hlo {

Cost CustomCallCost(CostContext& context, const Instruction& instruction);

}  // namespace gait::hlo

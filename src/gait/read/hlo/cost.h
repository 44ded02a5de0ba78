// The work of every instruction, from the shapes alone: the flops and bytes of one execution on one device.
//
// Definitions
//   flops          2 for each multiply-add of a dot or convolution (convolution_cost.h); 1 for each element
//                  of the result of an elementwise operation of any type, transcendental ones (exp, tanh,
//                  ...) included; for reduce, reduce-window, scatter, map and all-reduce the flops of the
//                  combining computation times the number of its applications; 1 per comparison of a sort; 1
//                  per random number. Moving data is 0.
//   bytes read     sizes of the operands, or of the touched part of them: a slice, a gathered row, an update
//   bytes written  size of the result, or of the update where the operation changes an operand in place
//
//   fusion         the flops of its body; the fusion reads its operands and writes its result. Where the body
//                  only slices or gathers from a value, only the taken part is computed and read; a parameter
//                  that is updated in place counts as the update (fusion_work.h). An instruction inside a
//                  fusion has the cost that it would have by itself.
//   loop           its body and condition times the trip count, where the compiler knows the count
//   start, done    the start carries the cost of the pair
//   free           tuples, parameters, constants and bitcasts: 0 flops and 0 bytes
//
// Identity: flops of a computation = sum over its instructions; flops of a fusion = flops of its computation,
// if the body takes everything that it computes.
//
// Where a cost cannot be known (dynamic shapes, loops of unknown length, branches, foreign code), it is
// nullopt with a reason.
#pragma once

#include "gait/trace/program.h"

namespace gait::hlo {

// Fills Instruction::cost of all instructions. Linear in instructions and operands. An instruction whose
// cost.unknown_because is already set stays unknown.
void ComputeCosts(Program& program);

}  // namespace gait::hlo

// The work of every instruction, from the shapes alone: what one execution computes and moves on one device.
//
// Definitions
//   flops          2 for each multiply-add of a dot or convolution (convolution_cost.h); 1 for each element
//   that an
//                  elementwise operation gives, whatever its type, and also for transcendental ones (exp,
//                  tanh, ...); for reduce, reduce-window, scatter, map and all-reduce the flops of the
//                  combining computation times how often it is applied; 1 per comparison of a sort; 1 per
//                  random number. Moving data is 0.
//   bytes read     sizes of the operands, or what is really touched of them: a slice, a gathered row, an
//   update. bytes written  size of the result, or of the update where the result is the operand changed in
//   place.
// A fusion computes what its body computes; it reads its operands and writes its result. Of values that the
// body only slices or gathers from, only what is taken is computed and read; a parameter updated in place
// counts as the update (fusion_work.h). Inside a fusion the cost of an instruction is what it would be if it
// ran by itself. A loop is its body and condition times the trip count where the compiler knows it. Of a pair
// of start and done the start carries the cost. Tuples, parameters, constants and bitcasts are free: 0 and 0
// bytes. Identity: flops of a computation = sum over its instructions; flops of a fusion = flops of its
// computation where the body takes everything it computes.
//
// What cannot be known (dynamic shapes, loops of unknown length, branches, foreign code) is nullopt with a
// reason.
#pragma once

#include "gait/trace/program.h"

namespace gait::hlo {

// Fills Instruction::cost of all instructions. Linear in instructions and operands. An instruction whose
// cost.unknown_because is already set stays unknown.
void ComputeCosts(Program& program);

}  // namespace gait::hlo

// Questions about a program that several rules ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/operation_index.h"
#include "gait/trace/program.h"

namespace gait::analyze {

// The product (dot, convolution, library call) that an instruction is or holds, the one with the most flops;
// null: none.
const Instruction* ProductOf(const Program& program, InstructionIndex instruction);

// Whether an instruction is or holds (one level of fusion) one that writes an array in another order in
// memory than it was: a transpose, or a copy to another layout. Where the file gives no layout it is row by
// row.
bool Reorders(const Program& program, InstructionIndex instruction);
// Whether an instruction does nothing but copy arrays as they are.
bool OnlyCopies(const Program& program, InstructionIndex instruction);

// What Kernel::operations calls an attributed operation: "jit_f/fusion.1".
std::string KernelsNameOf(const Operation& operation);

// By instruction: those that use it in the same computation.
std::vector<std::vector<InstructionIndex>> UsersOf(const Program& program);

// Bytes of a shape, 0 when unknown.
int64_t ResultBytes(const Program& program, ShapeId shape);

// Dimensions of an array; of a tuple those of its largest element.
const Shape& LargestArray(const Program& program, ShapeId shape);

}  // namespace gait::analyze

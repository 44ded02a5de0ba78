// Facts about a program that several rules need.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/operation_index.h"
#include "gait/trace/program.h"

namespace gait::analyze {

// The product (dot, convolution, library call) that an instruction is or holds. Of several, the product with
// the most flops; null: none.
const Instruction* ProductOf(const Program& program, InstructionIndex instruction);

// Rows of an operand or of the result of a product that do not begin at multiples of 16 bytes, as the matrix
// units need: "f32[512,4097]: rows of 4097". Empty: they do.
std::string MisalignedRows(const Program& program, const Instruction& product);

// Whether an instruction reorders an array in memory, or is a fusion with an instruction that does: a
// transpose, or a copy to another layout. Where the file gives no layout, the layout is row by row.
bool Reorders(const Program& program, InstructionIndex instruction);
// Whether whoever takes an instruction's result takes only slices of it.
bool IsOnlySliced(const Program& program, InstructionIndex instruction);
// Whether an instruction only copies arrays as they are.
bool OnlyCopies(const Program& program, InstructionIndex instruction);

// The name of an attributed operation in Kernel::operations: "jit_f/fusion.1".
std::string KernelsNameOf(const Operation& operation);

// The users of each instruction in the same computation.
std::vector<std::vector<InstructionIndex>> UsersOf(const Program& program);

// Bytes of a shape, 0 when unknown.
int64_t ResultBytes(const Program& program, ShapeId shape);

// The shape of an array; of a tuple, the shape of its largest element.
const Shape& LargestArray(const Program& program, ShapeId shape);

}  // namespace gait::analyze

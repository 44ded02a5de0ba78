// A program as text people can read, in the manner of XLA's own dumps:
//
//   %dot.3 = f32[16,64]{1,0} dot(%p.0, %p.1), lhs_contracting_dims={1}, rhs_contracting_dims={0},
//       metadata={op_name="jit(f)/dot_general" source_file="model.py" source_line=12}
//
// (on one line). The text is for reading, not for a compiler: large constants, shardings and precision
// options are left out. Pure functions, linear in the text.
#pragma once

#include <string>
#include <vector>

#include "gait/trace/program.h"

namespace gait {

std::string InstructionText(const Program& program, InstructionIndex instruction);

// Instructions in the order of execution where the file has a schedule, else in the order of the file.
std::string ComputationText(const Program& program, ComputationIndex computation);

// All computations, the entry computation last.
std::string ProgramText(const Program& program);

// The instructions that have `instruction` as an operand, in the order of the file. Linear in the
// computation.
std::vector<InstructionIndex> Users(const Program& program, InstructionIndex instruction);

}  // namespace gait

// Where in the source program an instruction comes from, also when the compiler left the instruction itself
// nameless.
#pragma once

#include "gait/trace/program.h"

namespace gait {

// The instruction itself where it has an op_name; where it has none (fusions of late passes, asynchronous
// wrappers), the root of the computations it calls, else the first named instruction inside them. Invalid
// when there is none. At worst one pass over the called computations.
InstructionIndex ScopeGiver(const Program& program, InstructionIndex instruction);

// The op_name of that instruction; the empty string when there is none.
StringId ScopePath(const Program& program, InstructionIndex instruction);

}  // namespace gait

// The place in the source program that an instruction comes from, also when the compiler left the instruction
// itself nameless.
#pragma once

#include "gait/trace/program.h"

namespace gait {

// The instruction itself if it has an op_name. Otherwise (fusions of late passes, asynchronous wrappers) the
// root of the computations that it calls, else the first named instruction inside them. Invalid when there is
// none. At worst one pass over the called computations.
InstructionIndex ScopeGiver(const Program& program, InstructionIndex instruction);

// The op_name of ScopeGiver(); the empty string when there is none.
StringId ScopePath(const Program& program, InstructionIndex instruction);

}  // namespace gait

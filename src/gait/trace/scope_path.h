// Where in the source program an instruction comes from, also when the compiler left the instruction itself
// nameless.
#pragma once

#include "gait/trace/program.h"

namespace gait {

// The op_name of the instruction; where it has none (fusions of late passes, asynchronous wrappers), that of
// the root of the computations it calls, else of the first named instruction inside them. The empty string
// when there is none. At worst one pass over the called computations.
StringId ScopePath(const Program& program, InstructionIndex instruction);

}  // namespace gait

// Reads BufferAssignmentProto: a program's buffers in device memory, and when they are live.
#pragma once

#include <string_view>

#include "gait/read/hlo/module_reader.h"
#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// The module must have been read: buffers refer to its instructions.
BufferAssignment ReadBufferAssignment(std::string_view bytes, const Program& program, ModuleReader& module,
                                      WireLosses& losses);

}  // namespace gait::hlo

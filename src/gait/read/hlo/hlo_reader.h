// Reads serialized HLO modules into programs.
#pragma once

#include <string_view>

#include "gait/base/result.h"
#include "gait/trace/loss.h"
#include "gait/trace/program.h"

namespace gait {

// Reads a serialized xla.HloProto, or a bare xla.HloModuleProto, with the cost of every instruction (cost.h).
// `place` names the program in losses and errors. A message that is cut or damaged gives its readable part,
// and the losses are counted. Bytes without any computation are an error. Program::id is the id in the file.
// Linear in the bytes; the program keeps no view of them. Many threads may call this, each with its own log.
Result<Program> ReadHloProto(std::string_view bytes, std::string_view place, LossLog& losses);

}  // namespace gait

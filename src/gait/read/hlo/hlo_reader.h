// Serialized HLO modules to programs.
#pragma once

#include <string_view>

#include "gait/base/result.h"
#include "gait/trace/loss.h"
#include "gait/trace/program.h"

namespace gait {

// Reads a serialized xla.HloProto, or a bare xla.HloModuleProto, with the cost of every instruction (cost.h).
// `place` names the program in losses and errors. A message that is cut short or mangled gives the part that
// could be read, with the losses counted; the error is for bytes that hold no computation at all. Program::id
// is the id in the file. Linear in the bytes; the program keeps no view of them. Safe to call from many
// threads, each with its own log.
Result<Program> ReadHloProto(std::string_view bytes, std::string_view place, LossLog& losses);

}  // namespace gait

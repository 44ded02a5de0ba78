#include "gait/read/hlo/hlo_reader.h"

#include <fmt/format.h>

#include "gait/read/hlo/buffer_reader.h"
#include "gait/read/hlo/cost.h"
#include "gait/read/hlo/module_reader.h"
#include "gait/read/hlo/wire.h"

namespace gait {
namespace {

constexpr uint32_t kModule = 1;
constexpr uint32_t kBufferAssignment = 3;

// HloProto has a module and buffers. A module by itself has a name in the place of the module and always the
// name of its entry computation besides.
bool IsBareModule(std::string_view bytes) {
  LossLog ignored;  // the real pass counts them
  hlo::WireLosses losses(ignored, "");
  hlo::Fields fields(bytes, losses);
  while (fields.Next()) {
    if (fields.number() != kModule && fields.number() != kBufferAssignment) return true;
  }
  return false;
}

}  // namespace

Result<Program> ReadHloProto(std::string_view bytes, std::string_view place, LossLog& losses) {
  hlo::WireLosses wire_losses(losses, place);
  std::string_view module_proto;
  std::string_view buffers;
  if (IsBareModule(bytes)) {
    module_proto = bytes;
  } else {
    hlo::Fields fields(bytes, wire_losses);
    while (fields.Next()) {
      if (fields.number() == kModule) module_proto = fields.Bytes();
      if (fields.number() == kBufferAssignment) buffers = fields.Bytes();
    }
  }
  Program program;
  hlo::ModuleReader reader(program, wire_losses);
  reader.Read(module_proto);
  if (program.computations.empty()) {
    return Unreadable(fmt::format("{}: holds no HLO computation", place),
                      "A serialized xla.HloProto or xla.HloModuleProto is expected.");
  }
  if (!buffers.empty()) {
    program.buffers = hlo::ReadBufferAssignment(buffers, program, reader, wire_losses);
  }
  hlo::ComputeCosts(program);
  return program;
}

}  // namespace gait

// Any bytes as an HloProto: reads, computes costs, prints; must neither crash nor hang.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gait/read/hlo/hlo_reader.h"
#include "gait/trace/program_text.h"
#include "gait/trace/scope_path.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gait::LossLog losses;
  const auto program = gait::ReadHloProto({reinterpret_cast<const char*>(data), size}, "fuzz", losses);
  if (!program) return 0;
  gait::ProgramText(*program);
  for (size_t i = 0; i < program->instructions.size(); ++i) {
    const gait::InstructionIndex index(i);
    gait::ScopePath(*program, index);
    const gait::Cost& cost = program->instructions[i].cost;
    const bool known = cost.flops && cost.bytes_read && cost.bytes_written;
    if (known == cost.unknown_because.valid()) __builtin_trap();  // unknown exactly when there is a reason
    for (const auto& amount : {cost.flops, cost.bytes_read, cost.bytes_written}) {
      if (amount && !(*amount >= 0)) __builtin_trap();  // neither negative nor a NaN
    }
  }
  return 0;
}

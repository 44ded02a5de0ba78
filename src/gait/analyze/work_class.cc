#include "gait/analyze/work_class.h"

#include <algorithm>
#include <array>

#include "gait/trace/async_phase.h"

namespace gait::analyze {
namespace {

// Kernels of communication libraries, as they are called in captures of 2022 to 2026.
constexpr std::array<std::string_view, 6> kCommunicationPrefixes = {
    "nccl", "rccl", "nvshmem", "OneShotAllReduce", "AllReduceKernel", "msccl"};
// In small letters the driver's own kernels for copies inside graphs: memcpy32_post, memcpy128, memset32.
constexpr std::array<std::string_view, 6> kCopyPrefixes = {
    "Memcpy", "Memset", "memcpy", "memset", "__amd_rocclr_copy", "__amd_rocclr_fill"};

bool StartsWithOneOf(std::string_view text, const auto& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

}  // namespace

std::string_view Name(WorkClass work) {
  switch (work) {
    case WorkClass::kCompute:
      return "compute";
    case WorkClass::kCommunication:
      return "communication";
    case WorkClass::kCopy:
      return "copy";
    case WorkClass::kUnknown:
      return "unknown";
    case WorkClass::kControl:
      return "control flow";
  }
  return "unknown";
}

WorkClass ClassOfOpcode(std::string_view opcode) {
  const std::string_view name = WithoutPhase(opcode);
  if (IsCommunication(name)) return WorkClass::kCommunication;
  // A plain copy is a kernel or a device-to-device copy inside the program: the event's own name tells which.
  if (name == "copy" && name != opcode) return WorkClass::kCopy;
  if (name == "infeed" || name == "outfeed") return WorkClass::kCopy;
  if (name == "while" || name == "conditional" || name == "call") return WorkClass::kControl;
  return WorkClass::kCompute;
}

WorkClass ClassOfKernel(std::string_view name) {
  if (StartsWithOneOf(name, kCopyPrefixes)) return WorkClass::kCopy;
  if (StartsWithOneOf(name, kCommunicationPrefixes)) return WorkClass::kCommunication;
  return WorkClass::kUnknown;
}

WorkClasses::WorkClasses(const Trace& trace)
    : by_set_(trace.arg_sets().size(), WorkClass::kUnknown), by_name_(trace.strings().size()) {
  for (size_t i = 0; i < by_name_.size(); ++i) by_name_[i] = ClassOfKernel(trace.text(StringId(i)));
  for (size_t i = 0; i < by_set_.size(); ++i) {
    const Attribution found = trace.attribution(ArgSetId(i));
    if (found.instruction.valid()) {
      const Program& program = trace.programs()[found.instruction.program.value];
      const Instruction& begun = program[Beginning(program, found.instruction.instruction)];
      by_set_[i] = ClassOfOpcode(WrappedOpcode(program, begun));
    } else if (found.kind != AttributionKind::kNone) {
      by_set_[i] = WorkClass::kCompute;  // an operation of a program that could not be joined
    }
  }
}

}  // namespace gait::analyze

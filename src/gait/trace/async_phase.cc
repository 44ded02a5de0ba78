#include "gait/trace/async_phase.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gait {
namespace {

constexpr std::array<std::pair<std::string_view, Phase>, 3> kPhases = {
    {{"-start", Phase::kStart}, {"-update", Phase::kUpdate}, {"-done", Phase::kDone}}};

constexpr size_t kMostUpdates = 100;  // between a start and its done

constexpr std::array<std::string_view, 9> kCommunication = {
    "all-reduce",           "all-gather",        "reduce-scatter", "all-to-all", "collective-permute",
    "collective-broadcast", "ragged-all-to-all", "send",           "recv"};

}  // namespace

Phase PhaseOfOpcode(std::string_view opcode) {
  for (const auto& [suffix, phase] : kPhases) {
    if (opcode.ends_with(suffix)) return phase;
  }
  return opcode == "send" || opcode == "recv" ? Phase::kStart : Phase::kWhole;
}

std::string_view WithoutPhase(std::string_view opcode) {
  for (const auto& [suffix, phase] : kPhases) {
    if (opcode.ends_with(suffix)) return opcode.substr(0, opcode.size() - suffix.size());
  }
  return opcode;
}

InstructionIndex Beginning(const Program& program, InstructionIndex instruction) {
  // Mostly one step; damaged files may have circles.
  for (size_t i = 0; i < kMostUpdates; ++i) {
    const Instruction& at = program[instruction];
    const Phase phase = PhaseOfOpcode(program.text(at.opcode));
    if ((phase != Phase::kDone && phase != Phase::kUpdate) || at.operands.empty()) break;
    if (!at.operands[0].valid() || at.operands[0] == instruction) break;
    instruction = at.operands[0];
  }
  return instruction;
}

std::string_view WrappedOpcode(const Program& program, const Instruction& instruction) {
  const std::string_view opcode = program.text(instruction.opcode);
  if (!opcode.starts_with("async-")) return opcode;
  for (const ComputationIndex called : instruction.called) {
    const Computation& computation = program.computations[called.value];
    if (computation.root.valid()) return program.text(program[computation.root].opcode);
  }
  return opcode;
}

bool IsCommunication(std::string_view opcode) {
  return std::ranges::find(kCommunication, WithoutPhase(opcode)) != kCommunication.end();
}

}  // namespace gait

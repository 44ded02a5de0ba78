// The parts of an asynchronous operation: one instruction starts it, another waits until it is done.
#pragma once

#include <cstdint>
#include <string_view>

#include "gait/trace/program.h"

namespace gait {

enum class Phase : uint8_t { kWhole, kStart, kUpdate, kDone };
// The phase of an opcode: "copy-start", "all-reduce-done", "async-update". The start of a "send-done" is
// "send".
Phase PhaseOfOpcode(std::string_view opcode);
std::string_view WithoutPhase(std::string_view opcode);  // "all-reduce" of "all-reduce-done"

// The instruction that begins the operation: itself, or the start that a done or an update waits for.
InstructionIndex Beginning(const Program& program, InstructionIndex instruction);

// The opcode; for an asynchronous wrapper ("async-start"), the opcode of the wrapped operation.
std::string_view WrappedOpcode(const Program& program, const Instruction& instruction);

// Collectives and sends between devices, in any phase.
bool IsCommunication(std::string_view opcode);

}  // namespace gait

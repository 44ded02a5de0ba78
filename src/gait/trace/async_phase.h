// The parts of an asynchronous operation: one instruction starts it, another waits until it is done.
#pragma once

#include <cstdint>
#include <string_view>

#include "gait/trace/program.h"

namespace gait {

enum class Phase : uint8_t { kWhole, kStart, kUpdate, kDone };
// "copy-start", "all-reduce-done", "async-update". What "send-done" waits for is called "send".
Phase PhaseOfOpcode(std::string_view opcode);
std::string_view WithoutPhase(std::string_view opcode);  // "all-reduce" of "all-reduce-done"

// The instruction that begins the operation: itself, or the start that a done or an update waits for.
InstructionIndex Beginning(const Program& program, InstructionIndex instruction);

// The opcode; of an asynchronous wrapper ("async-start"), that of what it wraps.
std::string_view WrappedOpcode(const Program& program, const Instruction& instruction);

// Collectives and sends between devices, in any phase.
bool IsCommunication(std::string_view opcode);

}  // namespace gait

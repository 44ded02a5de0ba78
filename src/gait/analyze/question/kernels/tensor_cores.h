// Whether a kernel uses the matrix units (tensor cores, matrix cores). The name of a library's kernel may
// tell; the HLO instructions of a kernel that XLA made tell; otherwise unknown.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gait/trace/trace.h"

namespace gait::analyze {

enum class TensorCores : uint8_t { kUnknown, kNo, kYes };
std::string_view Name(TensorCores use);  // "unknown", "no", "yes"

// By the name of a library's kernel: nvjet, cutlass tensorop, xmma with its instruction, AMD's MI16x16x16.
TensorCores TensorCoresByName(std::string_view kernel);

// By an instruction that a kernel of XLA's own executes. A fusion without dot or convolution uses no matrix
// units; a fusion with a dot of 16-bit or 8-bit operands uses them. Unknown for 32-bit and 64-bit dots (TF32
// may) and for library calls.
TensorCores TensorCoresByInstruction(const Program& program, InstructionIndex instruction);

// The name decides; else the instructions, if they agree. Unknown if neither tells.
TensorCores FindTensorCores(std::string_view kernel, const Trace& trace,
                            std::span<const InstructionRef> instructions);

}  // namespace gait::analyze

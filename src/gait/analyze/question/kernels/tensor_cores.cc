#include "gait/analyze/question/kernels/tensor_cores.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace gait::analyze {
namespace {

constexpr int kMostInstructions = 10'000;  // that are looked at for one answer: fusions inside fusions end

// Parts of library kernels' names (cuBLAS, cuBLASLt, cuDNN, CUTLASS), in lower case.
constexpr std::string_view kYes[] = {"tensorop", "wmma",    "hmma",        "imma",        "dmma",  "gmma",
                                     "qmma",     "s1688",   "s16816",      "s161616",     "h1688", "h16816",
                                     "h884",     "i8816",   "i16832",      "_tensor16x8", "umma",  "tcgen05",
                                     "mma_sm90", "sdpa_sm", "flash_fprop", "flash_bprop"};
constexpr std::string_view kNo[] = {"_simt_", "ffma", "dfma", "splitkreduce", "nccldevkernel", "ncclkernel"};

// "..._MI16x16x16x1_...": the matrix instruction of an AMD Tensile kernel; MI0 has none.
TensorCores ByMatrixInstruction(std::string_view name) {
  if (!name.starts_with("Cijk_") && !name.starts_with("Custom_Cijk_")) return TensorCores::kUnknown;
  for (size_t at = name.find("_MI"); at != std::string_view::npos; at = name.find("_MI", at + 1)) {
    if (at + 3 >= name.size() || std::isdigit(static_cast<unsigned char>(name[at + 3])) == 0) continue;
    return name[at + 3] == '0' ? TensorCores::kNo : TensorCores::kYes;
  }
  return TensorCores::kUnknown;
}

bool IsNarrow(ElementType type) {
  const int bits = BitWidth(type);
  return bits > 0 && bits <= 16 && type != ElementType::kPred;
}

TensorCores OfDot(const Program& program, const Instruction& instruction) {
  for (const InstructionIndex operand : instruction.operands) {
    const ShapeId shape = program[operand].shape;
    if (!shape.valid() || !IsNarrow(program.shape(shape).type)) return TensorCores::kUnknown;
  }
  return instruction.operands.empty() ? TensorCores::kUnknown : TensorCores::kYes;
}

TensorCores OfInstruction(const Program& program, const Instruction& instruction, int& left) {
  const std::string_view opcode = program.text(instruction.opcode);
  if (opcode == "dot" || opcode == "convolution" || opcode == "scaled-dot" || opcode == "ragged-dot") {
    return OfDot(program, instruction);
  }
  if (opcode == "custom-call" || --left < 0) return TensorCores::kUnknown;
  if (opcode != "fusion" && opcode != "call") return TensorCores::kNo;
  TensorCores use = TensorCores::kNo;
  for (const ComputationIndex called : instruction.called) {
    const Computation& computation = program.computations[called.value];
    for (size_t i = computation.begin.value; i < computation.end.value; ++i) {
      const TensorCores inner = OfInstruction(program, program.instructions[i], left);
      if (inner == TensorCores::kYes) return inner;
      if (inner == TensorCores::kUnknown) use = inner;
      if (left < 0) return TensorCores::kUnknown;
    }
  }
  return use;
}

}  // namespace

std::string_view Name(TensorCores use) {
  switch (use) {
    case TensorCores::kUnknown:
      return "unknown";
    case TensorCores::kNo:
      return "no";
    case TensorCores::kYes:
      return "yes";
  }
  return "unknown";
}

TensorCores TensorCoresByName(std::string_view kernel) {
  if (kernel.starts_with("nvjet_")) return TensorCores::kYes;
  if (const TensorCores use = ByMatrixInstruction(kernel); use != TensorCores::kUnknown) return use;
  std::string lower(kernel);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  if (std::ranges::any_of(kYes, has)) return TensorCores::kYes;
  if (std::ranges::any_of(kNo, has)) return TensorCores::kNo;
  // Since Hopper every xmma kernel that is not FFMA multiplies on the matrix units.
  if (has("sm90_xmma_") || has("sm100_xmma_")) return TensorCores::kYes;
  return TensorCores::kUnknown;
}

TensorCores TensorCoresByInstruction(const Program& program, InstructionIndex instruction) {
  int left = kMostInstructions;
  return OfInstruction(program, program[instruction], left);
}

TensorCores FindTensorCores(std::string_view kernel, const Trace& trace,
                            std::span<const InstructionRef> instructions) {
  if (const TensorCores use = TensorCoresByName(kernel); use != TensorCores::kUnknown) return use;
  if (instructions.empty()) return TensorCores::kUnknown;
  TensorCores all = TensorCores::kUnknown;
  for (size_t i = 0; i < instructions.size(); ++i) {
    const InstructionRef ref = instructions[i];
    const TensorCores use = TensorCoresByInstruction(trace.programs()[ref.program.value], ref.instruction);
    if (i > 0 && use != all) return TensorCores::kUnknown;
    all = use;
  }
  return all;
}

}  // namespace gait::analyze

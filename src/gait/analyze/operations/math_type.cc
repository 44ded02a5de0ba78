#include "gait/analyze/operations/math_type.h"

#include <algorithm>

namespace gait::analyze {
namespace {

constexpr int kDeepest = 4;               // fusions inside fusions
constexpr size_t kMostLookedAt = 50'000;  // instructions inside one

bool IsProduct(const Program& program, const Instruction& instruction) {
  const std::string_view opcode = program.text(instruction.opcode);
  return opcode == "dot" || opcode == "ragged-dot" || opcode == "scaled-dot" || opcode == "convolution";
}

// The product with the most work in what the instruction calls; null: there is none.
const Instruction* LargestProduct(const Program& program, const Instruction& caller, int depth,
                                  size_t& budget) {
  const Instruction* largest = nullptr;
  const auto offer = [&](const Instruction* candidate) {
    if (candidate == nullptr) return;
    if (largest == nullptr || candidate->cost.flops.value_or(0) > largest->cost.flops.value_or(0)) {
      largest = candidate;
    }
  };
  for (const ComputationIndex called : caller.called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value && budget > 0; ++i) {
      --budget;
      const Instruction& inner = program.instructions[i];
      if (IsProduct(program, inner)) offer(&inner);
      if (depth < kDeepest && program.text(inner.opcode) == "fusion") {
        offer(LargestProduct(program, inner, depth + 1, budget));
      }
    }
  }
  return largest;
}

ElementType TypeOf(const Program& program, InstructionIndex index) {
  const Shape& shape = program.shape(program[index].shape);
  return shape.type != ElementType::kTuple || shape.elements.empty() ? shape.type
                                                                     : program.shape(shape.elements[0]).type;
}

MathType OfElement(ElementType type) {
  const std::string_view name = Name(type);
  if (name.starts_with("f4e")) return MathType::kF4;
  if (name.starts_with("f8e") || name.starts_with("f6e")) return MathType::kF8;
  switch (type) {
    case ElementType::kF64:
    case ElementType::kC128:
      return MathType::kF64;
    case ElementType::kF16:
    case ElementType::kBf16:
      return MathType::kF16;
    case ElementType::kS8:
    case ElementType::kU8:
    case ElementType::kS4:
    case ElementType::kU4:
      return MathType::kI8;
    default:
      return MathType::kF32;
  }
}

// f32 products, as the device runs them.
MathType OfF32(std::string_view config, const Peaks& peaks) {
  const auto says = [&](std::string_view word) { return config.find(word) != std::string_view::npos; };
  if (says("ALG_DOT_BF16_BF16") || says("ALG_DOT_F16_F16")) return MathType::kF16;
  if (says("ALG_DOT_TF32")) return MathType::kTf32;
  if (says("ALG_DOT_F32_F32") || says("HIGHEST")) return MathType::kF32;
  if (peaks.vendor == Vendor::kGoogle) return MathType::kF16;
  return peaks.tensor_float ? MathType::kTf32 : MathType::kF32;
}

}  // namespace

MathType MathTypeOf(const Operation& operation, const Peaks& peaks) {
  if (!operation.attributed()) return MathType::kVector;
  const Program& program = *operation.program;
  const Instruction& own = operation.hlo();
  const bool matrix = operation.category == Category::kMatmul ||
                      operation.category == Category::kConvolution ||
                      operation.category == Category::kAttention;
  const Instruction* product = &own;
  if (matrix && !IsProduct(program, own)) {
    size_t budget = kMostLookedAt;
    if (const Instruction* inside = LargestProduct(program, own, 0, budget)) product = inside;
  }
  if (!matrix || product->operands.empty()) {
    return TypeOf(program, operation.instruction) == ElementType::kF64 ? MathType::kVector64
                                                                       : MathType::kVector;
  }
  // Of mixed operands the wider one decides: int8 weights are converted before a bf16 product.
  ElementType type = TypeOf(program, product->operands[0]);
  if (product->operands.size() > 1) {
    const ElementType second = TypeOf(program, product->operands[1]);
    if (BitWidth(second) > BitWidth(type)) type = second;
  }
  const MathType math = OfElement(type);
  return math == MathType::kF32 ? OfF32(program.text(own.backend_config), peaks) : math;
}

}  // namespace gait::analyze

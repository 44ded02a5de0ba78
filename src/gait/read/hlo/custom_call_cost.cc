#include "gait/read/hlo/custom_call_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gait/read/hlo/convolution_cost.h"
#include "gait/read/hlo/operation_cost.h"

namespace gait::hlo {
namespace {

// The result; libraries get their scratch memory as one more element of it, last.
ShapeId Result(const CostContext& context, const Instruction& i) { return context.Element(i.shape, 0); }

// Elements of the result without the scratch memory, which is s8[n].
Amount ResultBytes(const CostContext& context, const Instruction& i) {
  const Shape& shape = context.program().shape(i.shape);
  if (shape.type != ElementType::kTuple || shape.elements.empty()) return context.Bytes(i.shape);
  Amount bytes = 0;
  for (size_t k = 0; k < shape.elements.size(); ++k) {
    const Shape& element = context.program().shape(shape.elements[k]);
    const bool scratch = k > 0 && k + 1 == shape.elements.size() && element.dimensions.size() == 1 &&
                         (element.type == ElementType::kS8 || element.type == ElementType::kU8);
    if (!scratch) bytes = bytes + context.Bytes(shape.elements[k]);
  }
  return bytes;
}

Cost Gemm(CostContext& context, const Instruction& i) {
  const BackendConfig config = context.parser().Parse(context.program().text(i.backend_config));
  const Shape* lhs = context.OperandShape(i, 0);
  const Shape* rhs = context.OperandShape(i, 1);
  if (!config.dot || lhs == nullptr || rhs == nullptr) {
    return context.Unknown("a matrix product without dimensions in its configuration");
  }
  const std::string_view epilogue = config.epilogue;
  const auto has = [&](std::string_view part) {
    return epilogue.find(part) != std::string_view::npos ? 1.0 : 0.0;
  };
  const double per_element =
      has("BIAS") + has("RELU") + has("GELU") + has("SILU") + (config.beta != 0 ? 1.0 : 0.0);
  const Amount flops =
      DotFlops(*config.dot, *lhs, *rhs) + Amount(per_element) * context.Elements(Result(context, i));
  return context.Known(flops, context.OperandBytes(i), ResultBytes(context, i),
                       "the dimensions of the matrix product do not fit its operands");
}

// The dimension numbers are those of the forward convolution in all three directions.
Cost Convolution(CostContext& context, const Instruction& i, std::string_view target) {
  const Program& program = context.program();
  if (i.operands.size() < 2 || i.convolution >= program.convolutions.size()) {
    return context.Unknown("a convolution without operands or dimensions");
  }
  const Shape* first = context.OperandShape(i, 0);
  const Shape* second = context.OperandShape(i, 1);
  const Shape* result = &program.shape(Result(context, i));
  const Shape* input = first;
  const Shape* kernel = second;
  const Shape* output = result;
  if (target.find("BackwardInput") != std::string_view::npos) {
    input = result;
    output = first;
  } else if (target.find("BackwardFilter") != std::string_view::npos) {
    kernel = result;
    output = second;
  }
  const std::span<const WindowDimension> window =
      i.window < program.windows.size() ? program.windows[i.window] : std::span<const WindowDimension>();
  return context.Known(
      ConvolutionFlops(program.convolutions[i.convolution], window, *input, *kernel, *output),
      context.OperandBytes(i), ResultBytes(context, i),
      "the window of the convolution does not fit its shapes");
}

// Queries, keys and values are operands 0 to 2. Backward: the scores again, and the gradients of values,
// scores, queries and keys; five products instead of two.
Cost Attention(CostContext& context, const Instruction& i, std::string_view target) {
  const BackendConfig config = context.parser().Parse(context.program().text(i.backend_config));
  if (config.scores.size() != 4 || std::ranges::any_of(config.scores, [](int64_t n) { return n <= 0; })) {
    return context.Unknown("an attention without the shape of its scores in its configuration");
  }
  const double queries = static_cast<double>(config.scores[0]) * static_cast<double>(config.scores[1]) *
                         static_cast<double>(config.scores[2]);
  const double scores = queries * static_cast<double>(config.scores[3]);
  const bool backward = target.find("Backward") != std::string_view::npos;
  const Amount per_query = context.OperandElements(i, 0) * Amount(1 / queries);
  const Amount values = backward ? context.OperandElements(i, 4) : context.Elements(Result(context, i));
  const Amount per_value = values * Amount(1 / queries);
  const Amount flops = backward ? Amount(2 * scores) * (Amount(3) * per_query + Amount(2) * per_value)
                                : Amount(2 * scores) * (per_query + per_value);
  return context.Known(flops, context.OperandBytes(i), ResultBytes(context, i));
}

// Calls that only carry information through the compiler.
constexpr std::array<std::string_view, 9> kMarkers = {
    "Sharding",        "SPMDFullToShardShape", "SPMDShardToFullShape", "annotate_device_placement",
    "MoveToHost",      "MoveToDevice",         "AllocateBuffer",       "AssumeGatherIndicesInBound",
    "LayoutConstraint"};

}  // namespace

Cost CustomCallCost(CostContext& context, const Instruction& instruction) {
  const std::string_view target = context.program().text(instruction.custom_call_target);
  if (target.starts_with("__cublas$")) return Gemm(context, instruction);
  if (target.starts_with("__cudnn$conv")) return Convolution(context, instruction, target);
  if (target.starts_with("__cudnn$fmha")) return Attention(context, instruction, target);
  if (std::ranges::find(kMarkers, target) != kMarkers.end()) return {0.0, 0.0, 0.0, {}};
  const std::string reason = fmt::format("custom call {}: its work is not known", target);
  const auto stated = context.parser().Parse(context.program().text(instruction.backend_config)).stated_flops;
  if (stated && *stated >= 0) return context.Known(stated, std::nullopt, std::nullopt, reason);
  return context.Unknown(reason);
}

}  // namespace gait::hlo

#include "gait/read/hlo/operation_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "gait/read/hlo/convolution_cost.h"
#include "gait/read/hlo/custom_call_cost.h"

namespace gait::hlo {
namespace {

using Rule = Cost (*)(CostContext&, const Instruction&);

Cost Free(CostContext& /*context*/, const Instruction& /*i*/) { return {0.0, 0.0, 0.0, {}}; }

// Reads the operands, writes the result.
Cost WholeTraffic(CostContext& c, const Instruction& i, Amount flops, std::string_view reason = kNoSize) {
  return c.Known(flops, c.OperandBytes(i), c.Bytes(i.shape), reason);
}

Cost Move(CostContext& c, const Instruction& i) { return WholeTraffic(c, i, 0); }

Cost Elementwise(CostContext& c, const Instruction& i) { return WholeTraffic(c, i, c.Elements(i.shape)); }

Cost Dot(CostContext& c, const Instruction& i) {
  const Shape* lhs = c.OperandShape(i, 0);
  const Shape* rhs = c.OperandShape(i, 1);
  if (lhs == nullptr || rhs == nullptr || i.dot >= c.program().dots.size()) {
    return c.Unknown("a dot without operands or dimensions");
  }
  return WholeTraffic(c, i, DotFlops(c.program().dots[i.dot], *lhs, *rhs));
}

// Every row meets the matrix of its own group only.
Cost RaggedDot(CostContext& c, const Instruction& i) {
  const Shape* lhs = c.OperandShape(i, 0);
  if (lhs == nullptr || i.dot >= c.program().dots.size()) return c.Unknown("a ragged dot without dimensions");
  Amount depth = 1;
  for (const int64_t d : c.program().dots[i.dot].lhs_contracting) {
    if (d < 0 || static_cast<size_t>(d) >= lhs->dimensions.size()) return c.Unknown("dimensions do not fit");
    depth = depth * static_cast<double>(lhs->dimensions[static_cast<size_t>(d)]);
  }
  return WholeTraffic(c, i, Amount(MultiplyAddFlops(lhs->type)) * c.Elements(i.shape) * depth);
}

Cost Convolution(CostContext& c, const Instruction& i) {
  const Program& program = c.program();
  if (i.operands.size() < 2 || i.convolution >= program.convolutions.size()) {
    return c.Unknown("a convolution without operands or dimensions");
  }
  const std::span<const WindowDimension> window =
      i.window < program.windows.size() ? program.windows[i.window] : std::span<const WindowDimension>();
  return WholeTraffic(c, i,
                      ConvolutionFlops(program.convolutions[i.convolution], window, *c.OperandShape(i, 0),
                                       *c.OperandShape(i, 1), program.shape(i.shape)),
                      "the window of the convolution does not fit its shapes");
}

// n elements become one by n - 1 applications.
Cost Reduce(CostContext& c, const Instruction& i) {
  const Amount from = c.OperandElements(i, 0);
  const Amount to = c.Elements(c.Element(i.shape, 0));
  const Amount applied = from && to ? Amount(std::max(0.0, *from - *to)) : std::nullopt;
  return WholeTraffic(c, i, applied * c.AppliedFlops(i));
}

Amount WindowElements(const Program& program, const Instruction& i) {
  if (i.window >= program.windows.size()) return std::nullopt;
  double elements = 1;
  for (const WindowDimension& d : program.windows[i.window])
    elements *= static_cast<double>(std::max<int64_t>(d.size, 1));
  return elements;
}

Cost ReduceWindow(CostContext& c, const Instruction& i) {
  const Amount window = WindowElements(c.program(), i) + Amount(-1);
  return WholeTraffic(c, i, c.Elements(c.Element(i.shape, 0)) * window * c.AppliedFlops(i));
}

// Each element of the source selects from its window and is then added into the result.
Cost SelectAndScatter(CostContext& c, const Instruction& i) {
  const Amount window = WindowElements(c.program(), i) + Amount(-1);
  return WholeTraffic(c, i, c.OperandElements(i, 1) * (window * c.AppliedFlops(i, 0) + c.AppliedFlops(i, 1)));
}

Cost Map(CostContext& c, const Instruction& i) {
  return WholeTraffic(c, i, c.Elements(i.shape) * c.AppliedFlops(i));
}

// Of the first operand only the result is read; the others are indices.
Cost Take(CostContext& c, const Instruction& i) {
  Amount read = c.Bytes(i.shape);
  for (size_t k = 1; k < i.operands.size(); ++k) read = read + c.OperandBytes(i, k);
  return c.Known(0, read, c.Bytes(i.shape));
}

Cost DynamicUpdateSlice(CostContext& c, const Instruction& i) {
  Amount read = 0;
  for (size_t k = 1; k < i.operands.size(); ++k) read = read + c.OperandBytes(i, k);
  return c.Known(0, read, c.OperandBytes(i, 1));
}

// Operands: n arrays, the indices, n updates. The places that are updated are read as well when values are
// combined.
Cost Scatter(CostContext& c, const Instruction& i) {
  if (i.operands.size() < 3) return c.Unknown("a scatter without updates");
  const size_t arrays = (i.operands.size() - 1) / 2;
  Amount updates = 0;
  for (size_t k = arrays + 1; k < i.operands.size(); ++k) updates = updates + c.OperandBytes(i, k);
  const Amount combine = c.AppliedFlops(i);
  const Amount old = combine && *combine == 0 ? Amount(0) : updates;
  return c.Known(c.OperandElements(i, arrays + 1) * combine, c.OperandBytes(i, arrays) + updates + old,
                 updates);
}

Cost Sort(CostContext& c, const Instruction& i) {
  const Shape* shape = c.OperandShape(i, 0);
  if (shape == nullptr || shape->dimensions.empty()) return c.Unknown("a sort without operands");
  const size_t last = shape->dimensions.size() - 1;
  const size_t dimension = i.dimensions.empty() ? last : std::min(last, static_cast<size_t>(i.dimensions[0]));
  const auto length = static_cast<double>(std::max<int64_t>(shape->dimensions[dimension], 2));
  return WholeTraffic(c, i, c.OperandElements(i, 0) * std::ceil(std::log2(length)));
}

Cost TopK(CostContext& c, const Instruction& i) { return WholeTraffic(c, i, c.OperandElements(i, 0)); }

Cost Random(CostContext& c, const Instruction& i) {
  return WholeTraffic(c, i, c.Elements(c.Element(i.shape, 1)));
}

// 5 n log2 n for complex input, as is usual for the fast Fourier transform; half of it for real input or
// output.
Cost Fft(CostContext& c, const Instruction& i) {
  double length = 1;
  for (const int64_t n : i.dimensions) length *= static_cast<double>(std::max<int64_t>(n, 1));
  const Shape* input = c.OperandShape(i, 0);
  const auto complex = [](const Shape& s) {
    return s.type == ElementType::kC64 || s.type == ElementType::kC128;
  };
  const bool all = input != nullptr && complex(*input) && complex(c.program().shape(i.shape));
  const Amount in = c.OperandElements(i, 0);
  const Amount out = c.Elements(i.shape);
  const Amount points = in && out ? Amount(std::max(*in, *out)) : std::nullopt;
  return WholeTraffic(c, i, Amount(all ? 5.0 : 2.5) * points * std::log2(length));
}

// n^3 / 3 for each n x n matrix.
Cost Cholesky(CostContext& c, const Instruction& i) {
  const Shape& shape = c.program().shape(i.shape);
  if (shape.dimensions.empty()) return c.Unknown("a factorization without dimensions");
  return WholeTraffic(c, i, c.Elements(i.shape) * Amount(static_cast<double>(shape.dimensions.back()) / 3));
}

// Each of the unknowns takes a row of the n x n matrix.
Cost TriangularSolve(CostContext& c, const Instruction& i) {
  const Shape* matrix = c.OperandShape(i, 0);
  if (matrix == nullptr || matrix->dimensions.empty())
    return c.Unknown("a triangular solve without a matrix");
  return WholeTraffic(c, i, c.Elements(i.shape) * static_cast<double>(matrix->dimensions.back()));
}

Cost AllReduce(CostContext& c, const Instruction& i) {
  Amount elements = 0;
  for (size_t k = 0; k < i.operands.size(); ++k) elements = elements + c.OperandElements(i, k);
  return WholeTraffic(c, i, elements * c.AppliedFlops(i));
}

// Gives (operands, result, ...): the operands are not written.
Cost StartWithResult(CostContext& c, const Instruction& i) {
  return c.Known(0, c.OperandBytes(i), c.Bytes(c.Element(i.shape, 1)));
}

Cost CopyStart(CostContext& c, const Instruction& i) {
  return c.Known(0, c.OperandBytes(i), c.OperandBytes(i));
}

Cost Send(CostContext& c, const Instruction& i) { return c.Known(0, c.OperandBytes(i, 0), 0); }

Cost Receive(CostContext& c, const Instruction& i) { return c.Known(0, 0, c.Bytes(c.Element(i.shape, 0))); }

Cost Call(CostContext& c, const Instruction& i) {
  return i.called.empty() ? c.Unknown("a call of nothing") : c.total(i.called[0]);
}

Cost While(CostContext& c, const Instruction& i) {
  if (i.called.size() != 2) return c.Unknown("a loop without body and condition");
  const auto trips = c.parser().Parse(c.program().text(i.backend_config)).trip_count;
  if (!trips || *trips < 0) return c.Unknown("the compiler does not know how often the loop runs");
  const auto n = static_cast<double>(*trips);
  const Cost& body = c.total(i.called[0]);
  const Cost& condition = c.total(i.called[1]);
  Cost cost{Amount(n) * body.flops + Amount(n + 1) * condition.flops,
            Amount(n) * body.bytes_read + Amount(n + 1) * condition.bytes_read,
            Amount(n) * body.bytes_written + Amount(n + 1) * condition.bytes_written,
            {}};
  if (!cost.flops || !cost.bytes_read || !cost.bytes_written) {
    cost.unknown_because = body.unknown_because.valid() ? body.unknown_because : condition.unknown_because;
  }
  c.Explain(cost);
  return cost;
}

Cost Conditional(CostContext& c, const Instruction& i) {
  if (i.called.empty()) return c.Unknown("a conditional without branches");
  const Cost& first = c.total(i.called[0]);
  for (const ComputationIndex branch : i.called) {
    const Cost& other = c.total(branch);
    if (other.flops != first.flops || other.bytes_read != first.bytes_read ||
        other.bytes_written != first.bytes_written) {
      return c.Unknown("which branch runs is decided at run time");
    }
  }
  return first;
}

// No work: names for what is there, and ends of what another operation began.
constexpr std::array<std::string_view, 21> kFreeOpcodes = {
    "parameter",         "constant",        "tuple",
    "get-tuple-element", "bitcast",         "after-all",
    "add-dependency",    "opt-barrier",     "partition-id",
    "replica-id",        "domain",          "get-dimension-size",
    "all-reduce-done",   "all-gather-done", "collective-permute-done",
    "copy-done",         "async-done",      "async-update",
    "send-done",         "recv-done",       "rng-get-and-update-state"};
// Read and written once, nothing computed.
constexpr std::array<std::string_view, 18> kMoveOpcodes = {"copy",
                                                           "transpose",
                                                           "reshape",
                                                           "reverse",
                                                           "concatenate",
                                                           "pad",
                                                           "broadcast",
                                                           "iota",
                                                           "bitcast-convert",
                                                           "set-dimension-size",
                                                           "all-gather",
                                                           "all-to-all",
                                                           "ragged-all-to-all",
                                                           "collective-permute",
                                                           "collective-broadcast",
                                                           "infeed",
                                                           "outfeed",
                                                           "dynamic-reshape"};
// The same arithmetic for each element.
constexpr std::array<std::string_view, 55> kElementwiseOpcodes = {"abs",
                                                                  "acos",
                                                                  "acosh",
                                                                  "add",
                                                                  "and",
                                                                  "asin",
                                                                  "asinh",
                                                                  "atan2",
                                                                  "atanh",
                                                                  "cbrt",
                                                                  "ceil",
                                                                  "clamp",
                                                                  "count-leading-zeros",
                                                                  "compare",
                                                                  "complex",
                                                                  "convert",
                                                                  "cosh",
                                                                  "cosine",
                                                                  "divide",
                                                                  "erf",
                                                                  "exponential",
                                                                  "exponential-minus-one",
                                                                  "floor",
                                                                  "imag",
                                                                  "is-finite",
                                                                  "log",
                                                                  "log-plus-one",
                                                                  "logistic",
                                                                  "maximum",
                                                                  "minimum",
                                                                  "multiply",
                                                                  "negate",
                                                                  "not",
                                                                  "or",
                                                                  "popcnt",
                                                                  "power",
                                                                  "real",
                                                                  "reduce-precision",
                                                                  "remainder",
                                                                  "round-nearest-afz",
                                                                  "round-nearest-even",
                                                                  "rsqrt",
                                                                  "select",
                                                                  "shift-left",
                                                                  "shift-right-arithmetic",
                                                                  "shift-right-logical",
                                                                  "sign",
                                                                  "sine",
                                                                  "sinh",
                                                                  "sqrt",
                                                                  "stochastic-convert",
                                                                  "subtract",
                                                                  "tan",
                                                                  "tanh",
                                                                  "xor"};

struct OpcodeRule {
  std::string_view opcode;
  Rule rule;
};
constexpr std::array<OpcodeRule, 33> kOpcodeRules = {{{"dot", Dot},
                                                      {"scaled-dot", Dot},
                                                      {"ragged-dot", RaggedDot},
                                                      {"convolution", Convolution},
                                                      {"reduce", Reduce},
                                                      {"reduce-window", ReduceWindow},
                                                      {"select-and-scatter", SelectAndScatter},
                                                      {"map", Map},
                                                      {"slice", Take},
                                                      {"dynamic-slice", Take},
                                                      {"gather", Take},
                                                      {"dynamic-update-slice", DynamicUpdateSlice},
                                                      {"scatter", Scatter},
                                                      {"sort", Sort},
                                                      {"topk", TopK},
                                                      {"rng", Random},
                                                      {"rng-bit-generator", Random},
                                                      {"fft", Fft},
                                                      {"cholesky", Cholesky},
                                                      {"triangular-solve", TriangularSolve},
                                                      {"all-reduce", AllReduce},
                                                      {"all-reduce-start", AllReduce},
                                                      {"reduce-scatter", AllReduce},
                                                      {"all-gather-start", StartWithResult},
                                                      {"collective-permute-start", StartWithResult},
                                                      {"copy-start", CopyStart},
                                                      {"send", Send},
                                                      {"recv", Receive},
                                                      {"call", Call},
                                                      {"async-start", Call},
                                                      {"while", While},
                                                      {"conditional", Conditional},
                                                      {"custom-call", CustomCallCost}}};

std::unordered_map<std::string_view, Rule> MakeRules() {
  std::unordered_map<std::string_view, Rule> rules;
  for (const std::string_view opcode : kFreeOpcodes) rules.emplace(opcode, Free);
  for (const std::string_view opcode : kMoveOpcodes) rules.emplace(opcode, Move);
  for (const std::string_view opcode : kElementwiseOpcodes) rules.emplace(opcode, Elementwise);
  for (const auto& [opcode, rule] : kOpcodeRules) rules.emplace(opcode, rule);
  return rules;
}

const std::unordered_map<std::string_view, Rule>& Rules() {
  static const std::unordered_map<std::string_view, Rule> rules = MakeRules();
  return rules;
}

}  // namespace

Amount DotFlops(const DotDimensions& dot, const Shape& lhs, const Shape& rhs) {
  const auto size = [](const Shape& shape, int64_t dimension) -> Amount {
    if (dimension < 0 || static_cast<size_t>(dimension) >= shape.dimensions.size()) return std::nullopt;
    if (shape.dynamic != 0) return std::nullopt;
    const int64_t extent = shape.dimensions[static_cast<size_t>(dimension)];
    return extent >= 0 ? Amount(static_cast<double>(extent)) : std::nullopt;
  };
  // Everything of the left side, times what the right side has besides the dimensions they share.
  Amount flops = MultiplyAddFlops(lhs.type);
  for (size_t d = 0; d < lhs.dimensions.size(); ++d) flops = flops * size(lhs, static_cast<int64_t>(d));
  std::vector<bool> shared(rhs.dimensions.size());
  for (const auto* list : {&dot.rhs_contracting, &dot.rhs_batch}) {
    for (const int64_t d : *list) {
      if (!size(rhs, d)) return std::nullopt;
      shared[static_cast<size_t>(d)] = true;
    }
  }
  for (size_t d = 0; d < rhs.dimensions.size(); ++d) {
    if (!shared[d]) flops = flops * size(rhs, static_cast<int64_t>(d));
  }
  return flops;
}

bool IsElementByElement(std::string_view opcode) {
  const auto rule = Rules().find(opcode);
  if (rule == Rules().end()) return false;
  return rule->second == Elementwise || rule->second == Reduce || rule->second == Map || opcode == "copy" ||
         opcode == "transpose" || opcode == "reshape" || opcode == "reverse" || opcode == "concatenate" ||
         opcode == "bitcast-convert";
}

Cost OperationCost(CostContext& context, const Instruction& instruction) {
  const std::string_view opcode = context.program().text(instruction.opcode);
  const auto rule = Rules().find(opcode);
  if (rule == Rules().end()) return context.Unknown(fmt::format("no rule for {}", opcode));
  return rule->second(context, instruction);
}

}  // namespace gait::hlo

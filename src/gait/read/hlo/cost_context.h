// The state that the rules for single operations share while the costs of one program are computed.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/read/hlo/backend_config.h"
#include "gait/trace/program.h"

namespace gait::hlo {

using Amount = std::optional<double>;

// An amount that overflows a double counts as unknown.
inline Amount Finite(double value) { return std::isfinite(value) ? Amount(value) : std::nullopt; }
inline Amount operator+(Amount a, Amount b) { return a && b ? Finite(*a + *b) : std::nullopt; }
inline Amount operator*(Amount a, Amount b) { return a && b ? Finite(*a * *b) : std::nullopt; }

inline constexpr std::string_view kNoSize = "a shape is dynamic or too large";

class CostContext {
 public:
  explicit CostContext(Program& program) : program_(program), totals_(program.computations.size()) {}

  const Program& program() const { return program_; }
  BackendConfigParser& parser() { return parser_; }

  // The sum over the instructions of a computation. The driver fills it before it looks at any caller.
  Cost& total(ComputationIndex computation) { return totals_[computation.value]; }
  // The flops of the computation that an instruction applies; nullopt when it applies none.
  Amount AppliedFlops(const Instruction& instruction, size_t which = 0) const;

  Amount Elements(ShapeId shape) const;
  Amount Bytes(ShapeId shape) const;
  Amount OperandElements(const Instruction& instruction, size_t operand) const;
  Amount OperandBytes(const Instruction& instruction, size_t operand) const;
  Amount OperandBytes(const Instruction& instruction) const;  // of all
  const Shape* OperandShape(const Instruction& instruction, size_t operand) const;

  // The element of a tuple shape; the shape itself when it is no tuple, or has no such element.
  ShapeId Element(ShapeId shape, size_t which) const;

  Cost Unknown(std::string_view reason);
  // A cost with parts that may be unknown; unknown parts get the reason.
  Cost Known(Amount flops, Amount bytes_read, Amount bytes_written, std::string_view reason = kNoSize);
  // Gives a cost with unknown parts the reason, unless it has one.
  void Explain(Cost& cost, std::string_view reason = kNoSize);

 private:
  Program& program_;
  BackendConfigParser parser_;
  std::vector<Cost> totals_;
};

}  // namespace gait::hlo

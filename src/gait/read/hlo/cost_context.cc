#include "gait/read/hlo/cost_context.h"

namespace gait::hlo {
namespace {

Amount ToAmount(std::optional<int64_t> number) {
  return number ? Amount(static_cast<double>(*number)) : std::nullopt;
}

}  // namespace

Amount CostContext::AppliedFlops(const Instruction& instruction, size_t which) const {
  return which < instruction.called.size() ? totals_[instruction.called[which].value].flops : std::nullopt;
}

Amount CostContext::Elements(ShapeId shape) const { return ToAmount(program_.ElementCount(shape)); }

Amount CostContext::Bytes(ShapeId shape) const { return ToAmount(program_.ByteSize(shape)); }

Amount CostContext::OperandElements(const Instruction& instruction, size_t operand) const {
  if (operand >= instruction.operands.size()) return std::nullopt;
  return Elements(program_[instruction.operands[operand]].shape);
}

Amount CostContext::OperandBytes(const Instruction& instruction, size_t operand) const {
  if (operand >= instruction.operands.size()) return std::nullopt;
  return Bytes(program_[instruction.operands[operand]].shape);
}

Amount CostContext::OperandBytes(const Instruction& instruction) const {
  Amount sum = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) sum = sum + OperandBytes(instruction, i);
  return sum;
}

const Shape* CostContext::OperandShape(const Instruction& instruction, size_t operand) const {
  if (operand >= instruction.operands.size()) return nullptr;
  return &program_.shape(program_[instruction.operands[operand]].shape);
}

ShapeId CostContext::Element(ShapeId shape, size_t which) const {
  const auto& elements = program_.shape(shape).elements;
  return which < elements.size() ? elements[which] : shape;
}

Cost CostContext::Unknown(std::string_view reason) {
  Cost cost;
  cost.unknown_because = program_.strings.Intern(reason);
  return cost;
}

Cost CostContext::Known(Amount flops, Amount bytes_read, Amount bytes_written, std::string_view reason) {
  Cost cost{flops, bytes_read, bytes_written, {}};
  Explain(cost, reason);
  return cost;
}

void CostContext::Explain(Cost& cost, std::string_view reason) {
  const bool known = cost.flops && cost.bytes_read && cost.bytes_written;
  if (!known && !cost.unknown_because.valid()) cost.unknown_because = program_.strings.Intern(reason);
}

}  // namespace gait::hlo

#include "gait/read/hlo/fusion_work.h"

#include <algorithm>

#include "gait/read/hlo/operation_cost.h"

namespace gait::hlo {
namespace {

Amount Smaller(Amount a, Amount b) { return a && b ? Amount(std::min(*a, *b)) : std::nullopt; }

}  // namespace

FusionWork::FusionWork(const CostContext& context)
    : context_(context),
      program_(context.program()),
      needed_(program_.instructions.size(), 0.0),
      flops_(program_.computations.size()),
      parameters_(program_.computations.size()) {}

void FusionWork::Add(ComputationIndex fused) {
  const Computation& computation = program_.computations[fused.value];
  const uint32_t count = computation.end.value - computation.begin.value;
  auto& parameters = parameters_[fused.value];
  std::vector<bool> result(count);  // the root, or one of the values it bundles
  const auto mark = [&](InstructionIndex i) { result[i.value - computation.begin.value] = true; };
  if (computation.root.valid()) {
    mark(computation.root);
    if (program_.text(program_[computation.root].opcode) == "tuple") {
      for (const InstructionIndex i : program_[computation.root].operands) mark(i);
    }
  }
  Amount flops = 0;
  for (uint32_t i = count; i-- > 0;) {
    const InstructionIndex index(computation.begin.value + i);
    const Instruction& user = program_[index];
    const double share = Share(index, result[i]);
    flops = flops + user.cost.flops * Amount(share);
    for (size_t k = 0; k < user.operands.size(); ++k) {
      Amount& needed = needed_[user.operands[k].value];
      needed = needed + Needed(user, k, result[i], share);
    }
    if (program_.text(user.opcode) != "parameter" || user.number < 0 || user.number >= count) continue;
    const auto number = static_cast<size_t>(user.number);
    if (parameters.size() <= number) parameters.resize(number + 1);
    parameters[number] = index;
  }
  flops_[fused.value] = flops;
}

double FusionWork::Share(InstructionIndex index, bool result) const {
  const Amount whole = context_.Bytes(program_[index].shape);
  const Amount needed = needed_[index.value];
  if (result || !whole || !needed || *whole == 0) return 1;
  return std::min(1.0, *needed / *whole);
}

Amount FusionWork::Needed(const Instruction& user, size_t position, bool result, double share) const {
  const Amount whole = context_.OperandBytes(user, position);
  const std::string_view opcode = program_.text(user.opcode);
  if (opcode == "tuple" && result) return 0;  // counted where the value itself is the result
  if (opcode == "bitcast" || opcode == "get-tuple-element" || opcode == "broadcast") {
    return Smaller(whole, context_.Bytes(user.shape) * Amount(share));
  }
  if (opcode == "fusion" && !user.called.empty()) return Parameter(user.called[0], position, whole);
  if (IsElementByElement(opcode)) return whole * Amount(share);
  return position == 0 ? NeededByUpdate(user, opcode, result, whole, share) : whole;
}

// Of the first operand of operations that take or change a part of it.
Amount FusionWork::NeededByUpdate(const Instruction& user, std::string_view opcode, bool result, Amount whole,
                                  double share) const {
  if (opcode == "slice" || opcode == "dynamic-slice" || opcode == "gather") {
    return Smaller(whole, context_.Bytes(user.shape) * Amount(share));
  }
  if (opcode == "dynamic-update-slice") return result ? Amount(0) : whole * Amount(share);
  if (opcode == "scatter" && result && user.operands.size() == 3) {
    const Amount combine = context_.AppliedFlops(user);
    return combine && *combine == 0 ? Amount(0) : Smaller(whole, context_.OperandBytes(user, 2));
  }
  return whole;
}

Amount FusionWork::Parameter(ComputationIndex fused, size_t number, Amount whole) const {
  const auto& parameters = parameters_[fused.value];
  if (number >= parameters.size()) return whole;
  const InstructionIndex parameter = parameters[number];
  if (!parameter.valid()) return whole;
  // A parameter that is itself the result is copied out whole.
  const bool copied = parameter == program_.computations[fused.value].root;
  return copied ? whole : Smaller(whole, needed_[parameter.value]);
}

Amount FusionWork::Flops(const Instruction& fusion) const {
  return fusion.called.empty() ? std::nullopt : flops_[fusion.called[0].value];
}

Amount FusionWork::BytesRead(const Instruction& fusion) const {
  if (fusion.called.empty()) return std::nullopt;
  Amount sum = 0;
  for (size_t i = 0; i < fusion.operands.size(); ++i) {
    sum = sum + Parameter(fusion.called[0], i, context_.OperandBytes(fusion, i));
  }
  return sum;
}

Amount FusionWork::BytesWritten(const Instruction& fusion) const {
  if (fusion.called.empty()) return std::nullopt;
  const InstructionIndex root = program_.computations[fusion.called[0].value].root;
  if (!root.valid()) return std::nullopt;
  if (program_.text(program_[root].opcode) != "tuple") return Written(root);
  Amount sum = 0;
  for (const InstructionIndex i : program_[root].operands) sum = sum + Written(i);
  return sum;
}

Amount FusionWork::Written(InstructionIndex index) const {
  const Instruction& i = program_[BehindBitcasts(index)];
  const std::string_view opcode = program_.text(i.opcode);
  if (opcode == "fusion") return i.cost.bytes_written;
  const bool update = opcode == "dynamic-update-slice" || (opcode == "scatter" && i.operands.size() == 3);
  if (update && !i.operands.empty()) {
    // In place only where the array comes from outside; one made inside the fusion is written whole.
    const Instruction& array = program_[BehindBitcasts(i.operands[0])];
    if (program_.text(array.opcode) == "parameter")
      return context_.OperandBytes(i, opcode == "scatter" ? 2 : 1);
  }
  return context_.Bytes(i.shape);
}

InstructionIndex FusionWork::BehindBitcasts(InstructionIndex index) const {
  // Operands come first in a sound file; in another one the walk ends where they do not.
  while (program_.text(program_[index].opcode) == "bitcast" && !program_[index].operands.empty() &&
         program_[index].operands[0] < index) {
    index = program_[index].operands[0];
  }
  return index;
}

}  // namespace gait::hlo

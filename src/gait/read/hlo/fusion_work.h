// The flops and bytes that a fusion really computes, reads and writes.
#pragma once

#include <string_view>
#include <vector>

#include "gait/read/hlo/cost_context.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// A fusion computes only the values that are taken: when its body gathers a row of exp(x), the other rows of
// exp(x) are neither computed nor read. One pass from users back to operands gives each value of the body the
// bytes that are needed of it. The need of a user:
//   slice                  its result
//   gather                 its rows
//   update in place        nothing of the updated value
//   elementwise operation  the share that is needed of the operation itself
//   others (dots, sorts)   the whole value
// Computations must be added callees first, with the costs of their instructions in place. Linear.
class FusionWork {
 public:
  explicit FusionWork(const CostContext& context);

  void Add(ComputationIndex fused);

  // The work of a fusion instruction whose computation was added. Where a parameter is updated in place, only
  // the update is written.
  Amount Flops(const Instruction& fusion) const;
  Amount BytesRead(const Instruction& fusion) const;
  Amount BytesWritten(const Instruction& fusion) const;

 private:
  // The share of a value that is needed, 0 to 1.
  double Share(InstructionIndex index, bool result) const;
  // The bytes that `user` needs of its operand number `position`, when `share` of the user itself is needed.
  Amount Needed(const Instruction& user, size_t position, bool result, double share) const;
  Amount NeededByUpdate(const Instruction& user, std::string_view opcode, bool result, Amount whole,
                        double share) const;
  Amount Parameter(ComputationIndex fused, size_t number, Amount whole) const;
  Amount Written(InstructionIndex index) const;
  InstructionIndex BehindBitcasts(InstructionIndex index) const;

  const CostContext& context_;
  const Program& program_;
  std::vector<Amount> needed_;                             // by instruction
  std::vector<Amount> flops_;                              // by computation
  std::vector<std::vector<InstructionIndex>> parameters_;  // by computation, by number
};

}  // namespace gait::hlo

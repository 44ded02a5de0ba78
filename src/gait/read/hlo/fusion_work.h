// What a fusion really computes, reads and writes.
#pragma once

#include <string_view>
#include <vector>

#include "gait/read/hlo/cost_context.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// A fusion computes only what somebody takes: when its body gathers a row of exp(x), the other rows of exp(x)
// are neither computed nor read. In one pass from the users back to what they use each value of the body gets
// the bytes that are needed of it: a slice needs its result, a gather its rows, an update in place nothing of
// what it updates, an elementwise operation the share that is needed of itself, everything else (dots, sorts,
// ...) the whole value. Computations must be added callees first, with the costs of their instructions in
// place. Linear.
class FusionWork {
 public:
  explicit FusionWork(const CostContext& context);

  void Add(ComputationIndex fused);

  // Of a fusion instruction whose computation was added. What is written in place of a parameter is the
  // update only.
  Amount Flops(const Instruction& fusion) const;
  Amount BytesRead(const Instruction& fusion) const;
  Amount BytesWritten(const Instruction& fusion) const;

 private:
  // The share of a value that is needed, 0 to 1.
  double Share(InstructionIndex index, bool result) const;
  // Bytes that `user` needs of its operand number `position`, when `share` of the user itself is needed.
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

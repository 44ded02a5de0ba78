// What a fusion really reads and writes.
#pragma once

#include <vector>

#include "gait/read/hlo/cost_context.h"
#include "gait/trace/program.h"

namespace gait::hlo {

// The bytes that the instructions of a computation need of each value, found in one pass from the users back
// to what they use: a slice needs its result, a gather its rows, an update in place nothing of what it
// updates, a bitcast what its own users need, everything else the whole value. Computations must be added
// callees first. Linear.
class FusionTraffic {
 public:
  explicit FusionTraffic(const CostContext& context);

  void Add(ComputationIndex fused);

  // Of a fusion instruction whose computation was added. What is written in place of a parameter is the
  // update only.
  Amount BytesRead(const Instruction& fusion) const;
  Amount BytesWritten(const Instruction& fusion) const;

 private:
  // Bytes that `user` needs of its operand number `position`.
  Amount Needed(const Instruction& user, InstructionIndex index, size_t position, bool result) const;
  Amount Parameter(ComputationIndex fused, size_t number, Amount whole) const;
  Amount Written(InstructionIndex index) const;
  InstructionIndex BehindBitcasts(InstructionIndex index) const;

  const CostContext& context_;
  const Program& program_;
  std::vector<Amount> needed_;                             // by instruction
  std::vector<std::vector<InstructionIndex>> parameters_;  // by computation, by number
};

}  // namespace gait::hlo

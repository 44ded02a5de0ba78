// OneHot: an array of zeros and ones that says to which class each row belongs, as jax.nn.one_hot makes it:
// it compares numbers with an iota. A product with one only looks up rows, or sums them by class.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/trace/program.h"

namespace gait::analyze {

struct OneHot {
  int64_t classes = 0;                   // 0: it is no such array
  std::vector<InstructionIndex> made{};  // the instructions that make it, outside of fusions
};

// Follows the array back through what converts or moves it, into fusions and out of them. `caller` is the
// fusion that holds the array's instruction; null: none does.
OneHot FindOneHot(const Program& program, InstructionIndex array, const Instruction* caller);

}  // namespace gait::analyze

// Whether two programs of one name compute the same.
#pragma once

#include <cstdint>

#include "gait/trace/program.h"

namespace gait::analyze {

struct ProgramDifference {
  enum class Kind : uint8_t {
    kNone,       // but for names, numbers, places in the source and what the autotuner chose
    kConstants,  // the same instructions with other constants
    kSharding,   // the same instructions, laid over the devices in another way
    kOther,      // other instructions
  };
  Kind kind = Kind::kNone;
  InstructionIndex first;  // that differs, in both; invalid: other devices, or other instructions
};

// Compares instruction by instruction in the order of the files: a compiler always writes a program in the
// same order. Linear in the instructions; a constant of any size counts as one step.
ProgramDifference FindDifference(const Program& before, const Program& after);

}  // namespace gait::analyze

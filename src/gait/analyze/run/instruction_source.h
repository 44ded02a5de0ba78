// Where an instruction comes from: scope, source line, Python stack. The instruction's own metadata counts;
// where it has none, the metadata of an instruction inside the computations that it calls.
#pragma once

#include <string>
#include <vector>

#include "gait/trace/program.h"

namespace gait::analyze {

struct InstructionOrigin {
  std::string scope;   // empty: unknown
  std::string source;  // empty: unknown
  FrameId frame;
  std::string scope_from;  // "%inner", where it is not the instruction's own
  std::string source_from;
};

InstructionOrigin OriginOf(const Program& program, InstructionIndex index);

struct StackLine {
  std::string source;  // "train.py:27"
  std::string function;
};

// The Python stack, innermost frame first.
std::vector<StackLine> StackOf(const Program& program, FrameId frame);

}  // namespace gait::analyze

// Runs of a program on a GPU whose capture does not say which work belongs to one run: its launches lie in no
// Execute call.
//
// An operation outside loops runs once per run. When a kernel of one comes again, and other operations ran in
// between, another run has begun since it ran last: at the widest gap between the two. So a capture that
// begins inside a run does not shift all that follow.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::timeline {

struct ProgramWork {
  EventRef event;
  InstructionIndex instruction;
};

// By piece of work, given in order of begin: the number of its run, from 0 and ascending. O(work * log work).
std::vector<uint32_t> RunsByRepeats(const Trace& trace, const Program& program,
                                    const std::vector<ProgramWork>& work);

}  // namespace gait::timeline

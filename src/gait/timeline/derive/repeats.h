// Runs of a program on a GPU where the capture does not say which work belongs to one run: the launches lie
// in no Execute call.
//
// An operation outside loops runs once per run. When a kernel of such an operation comes again, and other
// operations ran in between, a new run began between the two: at the widest gap. So a capture that begins
// inside a run does not shift the later runs.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::timeline {

struct ProgramWork {
  EventRef event;
  InstructionIndex instruction;
};

// The number of the run of each piece of work, from 0 and ascending. The work is in order of begin. O(work *
// log work).
std::vector<uint32_t> RunsByRepeats(const Trace& trace, const Program& program,
                                    const std::vector<ProgramWork>& work);

}  // namespace gait::timeline

// What a program keeps in device memory, from its buffer assignment.
//
//   parameters        allocations of the entry computation's parameters; donated: those that the result is
//                     written to
//   outputs           further allocations that outlive the program
//   constants         allocations of constants
//   temporaries       the rest: live only while the program runs. XLA packs them into few allocations, in
//                     which buffers that are not live at the same time share bytes
//   total             = parameters + outputs + constants + temporaries, of device memory: what a run of the
//                     program needs
//   live temporaries  = largest sum of sizes of temporaries that are live at once, from the heap simulator's
//                     trace
//   packing           = temporaries - live temporaries: holes that the packing left
//   padding           = for each buffer that is live at the peak, its bytes less the bytes of its shape:
//                     tiled layouts
//
// Identity: total as above; the live buffers sum to total - packing. Bytes. Other memory spaces (a TPU's
// on-chip memories, the host's) and buffers that each thread has for itself stand apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/trace/program.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

enum class BufferKind : uint8_t { kParameter, kOutput, kConstant, kTemporary };
std::string_view Name(BufferKind kind);  // "parameter", ...

// A buffer that is live at the program's peak.
struct LiveBuffer {
  BufferKind kind = BufferKind::kTemporary;
  InstructionIndex instruction;  // that defines it; invalid: not in the program
  ShapeId shape;                 // invalid: unknown, or a table of pointers
  int64_t bytes = 0;
  int64_t padding = 0;
};

// What is live while an instruction of the schedule runs.
struct SchedulePoint {
  InstructionIndex instruction;
  int64_t bytes = 0;  // parameters, outputs and constants, and the temporaries of the trace
};

struct ProgramMemory {
  const Program* program;
  bool known = false;  // false: the program came without a buffer assignment
  bool ran = false;    // in the capture; set by FindMemory
  int64_t parameters = 0, donated = 0, outputs = 0, constants = 0, temporaries = 0;
  int64_t live_temporaries = 0;
  int64_t padding = 0;
  int64_t other_spaces = 0;      // memory of other kinds
  int64_t per_thread = 0;        // buffers that each thread has for itself
  InstructionIndex peak_at;      // the instruction at which most is live; invalid: nothing says
  std::vector<LiveBuffer> live;  // at the peak, the largest first
  // The heap simulator's trace with the highest peak, in its order; empty: the program has no trace.
  std::vector<SchedulePoint> schedule;

  int64_t total() const { return parameters + outputs + constants + temporaries; }
  int64_t packing() const { return temporaries - live_temporaries; }
};

// Linear in the buffers.
ProgramMemory FindProgramMemory(const Program& program);

// The id of the part of a shape that a shape index names. Invalid for a tuple.
ShapeId SubShape(const Program& program, ShapeId shape, const std::vector<int64_t>& index);

}  // namespace gait::analyze

// Memory of a run: the allocators' timelines (allocators.h) and the needs of the programs (program_memory.h).
#pragma once

#include <span>
#include <vector>

#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/question/memory/program_memory.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct HostMemory {
  const HostView* view;
  std::vector<Allocator> allocators;    // those of devices first
  std::vector<ProgramMemory> programs;  // those that need most first; without a buffer assignment last

  // The allocator of a device with the highest peak; null: none.
  const Allocator* worst() const;
  // The program whose live set is worth showing: the program of the peak's temporaries; else the program with
  // the largest need of those that ran in the capture; else of all. null: no program has a buffer assignment.
  const ProgramMemory* program_at_peak() const;
};

// The allocator of a device with the highest peak on any host; null: none.
const Allocator* WorstAllocator(std::span<const HostMemory> hosts);

// The memory by host. Made once and kept with the view.
Result<std::span<const HostMemory>> FindMemory(const RunView& view);

}  // namespace gait::analyze

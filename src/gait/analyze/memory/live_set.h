// Who made an allocation, from the events around it.
#pragma once

#include "gait/analyze/compile/stages.h"
#include "gait/analyze/memory/allocators.h"

namespace gait::analyze {

class AllocationContext {
 public:
  explicit AllocationContext(const Trace& trace) : trace_(trace), roles_(trace) {}

  // Without bytes and count. O(depth of the event).
  LiveAllocation Describe(const AllocationEvent& event);

 private:
  std::string_view ExecutedProgram(EventRef event, std::string_view name) const;
  LiveKind KindOfBuffer(std::string& program, int64_t bytes) const;

  const Trace& trace_;
  CompileRoles roles_;
};

}  // namespace gait::analyze

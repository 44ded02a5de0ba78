// The operation, program and Python line that made an allocation, from its thread and the events around it.
#pragma once

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/vocabulary/compile_stages.h"

namespace gait::analyze {

class AllocationContext {
 public:
  explicit AllocationContext(const HostView& host)
      : trace_(host.trace()), activity_(ActivityOf(host)), roles_(trace_) {}

  // The description of an allocation, without bytes and count. `given_back`: the time of its deallocation, if
  // the capture has one. O(depth of the event).
  LiveAllocation Describe(const AllocationEvent& event, std::optional<Ps> given_back);

 private:
  std::string_view ExecutedProgram(EventRef event, std::string_view name) const;
  // The end of the whole call that the event is part of: the events directly around it whose names say that
  // they execute a program belong to the call.
  Ps EndOfCall(EventRef event) const;
  LiveKind KindOfBuffer(std::string& program, int64_t bytes, bool given_back_by_call) const;

  const Trace& trace_;
  const HostActivity& activity_;
  CompileRoles roles_;
};

}  // namespace gait::analyze

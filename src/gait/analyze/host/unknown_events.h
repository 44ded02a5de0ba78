// Names of events of the runtime that no row of the vocabulary knows (runtime_events.h). Their time counts as
// dispatch, whatever they are: a new version of JAX or XLA may call a wait or a copy so.
//
// Names of operations, kernels and compiler passes are no such names.
#pragma once

#include <string_view>
#include <vector>

#include "gait/analyze/host/host_activity.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct UnknownEvents {
  std::string_view name;    // without what differs from call to call
  std::string_view thread;  // of the first
  uint64_t count = 0;
  Ps total;  // sum of their durations
};

// Those with the most time first. O(host events).
std::vector<UnknownEvents> FindUnknownEvents(const Trace& trace);

}  // namespace gait::analyze

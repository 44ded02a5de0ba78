// The work of one device in order of begin, each piece with the host's call that asked for it.
#pragma once

#include <vector>

#include "gait/analyze/devices.h"
#include "gait/analyze/launches.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct WorkItem {
  EventRef event;
  EventRef call;       // invalid track: not in the capture
  bool first = false;  // the first of its call to run on this device

  bool has_call() const { return call.track.valid(); }
};

// By device; at equal begin the longer first. O(events).
using HostWorkItems = std::vector<std::vector<WorkItem>>;
HostWorkItems WorkInOrder(const Trace& trace, const std::vector<Device>& devices, const Launches& launches);

}  // namespace gait::analyze

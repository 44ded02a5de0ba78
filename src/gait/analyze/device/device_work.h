// The work of one device in order of begin, each piece with its class and the host's call that asked for it.
#pragma once

#include <vector>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/launches.h"
#include "gait/analyze/device/work_class.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct WorkItem {
  EventRef event;
  Interval time;       // the event's: every analysis asks for it
  EventRef call;       // invalid track: not in the capture
  bool first = false;  // the first of its call to run on this device
  WorkClass work = WorkClass::kUnknown;

  bool has_call() const { return call.track.valid(); }
};

// The events of all work tracks of a device in order of begin; of events with equal begin the longer one
// first. O(events log tracks).
std::vector<WorkItem> WorkInOrder(const Trace& trace, const Device& device, const Launches& launches,
                                  const WorkClasses& classes);

using HostWorkItems = std::vector<std::vector<WorkItem>>;  // by device

}  // namespace gait::analyze

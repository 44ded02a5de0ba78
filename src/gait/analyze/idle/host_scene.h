// What the host did during an interval, in one name of each kind.
#pragma once

#include "gait/analyze/host_activity.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct HostScene {
  StringId annotation;  // invalid: none
  StringId python;
  StringId runtime;
};

// Of all events of a kind that cover half of the interval the innermost, otherwise the one that covers most.
// The runtime's on the launching thread, and on the Python thread too where no call of the launching one
// covers half; the others on the Python thread. An invalid launching thread is not known. O(events inside +
// depth).
HostScene SceneAt(const Trace& trace, const HostActivity& activity, TrackId launching, Interval interval);

}  // namespace gait::analyze

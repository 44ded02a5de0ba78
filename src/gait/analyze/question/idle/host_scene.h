// What the host did during an interval, in one name of each kind.
#pragma once

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/view/run_view.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct HostScene {
  StringId annotation;  // invalid: none
  StringId python;
  StringId user;  // the innermost Python frame of a file that is no library's
  StringId runtime;
};

// The innermost event of each kind that covers half of the interval and says something (IsBareWait).
//   runtime      on the launching thread; where it has no such event, on the Python thread
//   other kinds  on the launching thread if it runs Python, else on the Python thread
// Input of another thread that the Python thread waited for (inferred_waits.h) goes before both. An invalid
// launching thread means that the thread is not known. O(events inside + depth).
HostScene SceneAt(const HostView& view, const HostActivity& activity, TrackId launching, Interval interval);

}  // namespace gait::analyze

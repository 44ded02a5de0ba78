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

// Of the events of a kind that cover half of the interval the innermost that says something (IsBareWait). The
// runtime's on the launching thread, and on the Python thread where there is none; the others on the
// launching thread where that runs Python, else on the Python thread; input that this waited for before all
// of them. An invalid launching thread is not
// known. O(events inside + depth).
HostScene SceneAt(const HostView& view, const HostActivity& activity, TrackId launching, Interval interval);

}  // namespace gait::analyze

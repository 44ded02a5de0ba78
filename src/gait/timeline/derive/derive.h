// The tracks that gait derives from the events of a run: per device steps, programs, scopes, busy and idle
// time, collectives, copies and memory. Derived tracks are searched, summed up and drawn like captured ones.
#pragma once

#include <memory>
#include <vector>

#include "gait/analyze/view/run_view.h"
#include "gait/timeline/tracks.h"

namespace gait::timeline {

struct Derived {
  std::vector<std::unique_ptr<Trace>> traces;  // by host; the tracks refer to them
  TrackSet set;
};

// `view` is of the whole run, without a selection. O(events log overlap). The timeline must outlive the
// result.
std::unique_ptr<const Derived> Derive(const Timeline& timeline, const analyze::RunView& view);

}  // namespace gait::timeline

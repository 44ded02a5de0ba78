#include "gait/analyze/host/thread_sweep.h"

#include <algorithm>

namespace gait::analyze {

std::vector<OwnedSlice> Sweep(const Trace& trace, TrackId thread, const HostActivity& activity) {
  struct Running {
    EventIndex event;
    Ps end;
    HostPart part;
  };
  const Track& track = trace.track(thread);
  std::vector<OwnedSlice> slices;
  slices.reserve(2 * track.size());
  std::vector<Running>
      running;  // the one that began last on top; what has ended goes when it comes to the top
  Ps at;
  const auto advance = [&](Ps until) {
    while (!running.empty() && at < until) {
      const Running& owner = running.back();
      if (owner.end <= at) {
        running.pop_back();
        continue;
      }
      const Ps stop = std::min(owner.end, until);
      slices.push_back({{at, stop}, owner.event, owner.part});
      at = stop;
    }
    at = until;
  };
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    const Ps begin = track.begin(event);
    advance(begin);
    while (!running.empty() && running.back().end <= begin) running.pop_back();
    if (track.duration(event) == Ps()) continue;
    const HostPart around = running.empty() ? HostPart::kNone : running.back().part;
    const HostPart part = PartWithin(around, PartOf(activity.own_work({thread, event})));
    running.push_back({event, track.end(event), part});
  }
  advance(kMaxTime);
  return slices;
}

}  // namespace gait::analyze

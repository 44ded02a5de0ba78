// Which thread gave a thread pool its work.
//
//   region   the work of a pool's thread from a StartRegion of the pool's listener to the next StopRegion
//   given    the thread and the time of the Record with the region's number
//
// A thread of another pool may have given the region, inside a region of its own. The asking thread is the
// first one in this chain that is in no region.
#pragma once

#include <optional>
#include <vector>

#include "gait/base/intervals.h"
#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

class PoolWork {
 public:
  struct Place {
    TrackId thread;
    Ps time;
  };

  // Linear in the events of host threads, plus O(n log n) in the listener's.
  explicit PoolWork(const Trace& trace);

  // The thread and time that asked for the work of a pool's thread at `time`; nullopt: the thread is in no
  // region, or the chain is not known. O(log regions).
  std::optional<Place> AskedBy(TrackId thread, Ps time) const;

 private:
  struct Region {
    Interval time;
    std::optional<Place> given;  // by whom; once all are known, by the first in the chain
  };

  const Region* RegionAt(Place place) const;

  std::vector<std::vector<Region>> regions_;  // by track, in order
};

}  // namespace gait::analyze

// Who gave a thread pool its work.
//
//   region   what a pool's thread does from a StartRegion of the pool's listener to the next StopRegion
//   given    where the Record with the region's number stands: on a thread, at a time
//
// A region may have been given by another pool's thread, inside a region of its own: the one who asked is the
// first in that chain that is in no region.
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

  // Who asked for what a pool's thread does at a time; nullopt: no region, or nobody is known. O(log
  // regions).
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

#include "gait/trace/track.h"

#include <algorithm>

namespace gait {

uint32_t Track::depth(EventIndex i) const {
  uint32_t depth = 0;
  for (EventIndex p = parent(i); p.valid(); p = parent(p)) ++depth;
  return depth;
}

EventIndex Track::LowerBound(Ps t) const {
  return EventIndex(static_cast<size_t>(std::ranges::lower_bound(begin_, t.value()) - begin_.begin()));
}

size_t Track::memory() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(begin_) + bytes(duration_) + bytes(long_durations_) + bytes(name_) + bytes(args_) +
         bytes(value_offset_) + bytes(values_) + bytes(parent_) + bytes(lane_);
}

}  // namespace gait

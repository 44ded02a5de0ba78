#include "gait/trace/track.h"

#include <algorithm>

namespace gait {

uint32_t Track::depth(EventIndex i) const {
  uint32_t depth = 0;
  for (EventIndex p = parent(i); p.valid(); p = parent(p)) ++depth;
  return depth;
}

EventIndex Track::around(EventIndex i) const {
  using Around = std::pair<uint32_t, uint32_t>;
  const auto found = std::ranges::lower_bound(around_, i.value, {}, &Around::first);
  return found != around_.end() && found->first == i.value ? EventIndex(found->second) : parent(i);
}

EventIndex Track::LowerBound(Ps t) const {
  return EventIndex(static_cast<size_t>(std::ranges::lower_bound(begin_, t.value()) - begin_.begin()));
}

EventIndex Track::LowerBound(Ps t, EventIndex at_most) const {
  size_t high = at_most.value;
  size_t step = 1;
  while (step <= high && begin_[high - step] >= t.value()) {
    high -= step;
    step *= 2;
  }
  const auto low = begin_.begin() + static_cast<ptrdiff_t>(step <= high ? high - step + 1 : 0);
  const auto found = std::lower_bound(low, begin_.begin() + static_cast<ptrdiff_t>(high), t.value());
  return EventIndex(static_cast<size_t>(found - begin_.begin()));
}

void Track::MoveBy(Ps offset) {
  const auto moved = [&](int64_t time) { return Clamped(static_cast<Int128>(time) + offset.value()); };
  info_.offset = moved(info_.offset.value());
  if (begin_.empty()) return;
  for (int64_t& begin : begin_) begin = moved(begin).value();
  span_ = {Ps(begin_.front()), Ps(begin_.front())};
  for (size_t i = 0; i < begin_.size(); ++i) span_.end = std::max(span_.end, end(EventIndex(i)));
}

size_t Track::memory() const {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  return bytes(begin_) + bytes(duration_) + bytes(long_durations_) + bytes(name_) + bytes(args_) +
         bytes(value_offset_) + bytes(values_) + bytes(parent_) + bytes(around_) + bytes(lane_);
}

}  // namespace gait

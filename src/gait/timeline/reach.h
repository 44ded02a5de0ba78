// The slices of a track that reach into a window, and the self time of slices.
#pragma once

#include <algorithm>
#include <vector>

#include "gait/timeline/tracks.h"

namespace gait::timeline {

// The slices in order of begin. `window` is on the trace's own clock. A slice without length counts where it
// begins. O(slices inside + lanes log n).
inline std::vector<EventIndex> Reaching(const TimelineTrack& track, Interval window) {
  const Track& events = track.events();
  std::vector<EventIndex> found;
  // Slices of one lane do not overlap: only the last slice before the window can reach into the window.
  for (uint32_t lane = 0; lane < events.lanes(); ++lane) {
    const std::optional<EventIndex> before = track.rows->Lane(lane).LastBefore(window.begin);
    if (before && events.end(*before) > window.begin) found.push_back(*before);
  }
  std::ranges::sort(found);
  for (size_t i = events.LowerBound(window.begin).value; i < events.size(); ++i) {
    if (events.begin(EventIndex(i)) >= window.end) break;
    found.emplace_back(i);
  }
  return found;
}

// Calls f(position, part) for the parts of the window in which slices[position] is the last-begun one of the
// slices that run. The slices are in order of begin (Reaching).
template <typename F>
void ForEachSelfPart(const Track& events, const std::vector<EventIndex>& slices, Interval window, F f) {
  std::vector<size_t> open;
  Ps at = window.begin;
  const auto advance = [&](Ps to) {
    while (at < to) {
      while (!open.empty() && events.end(slices[open.back()]) <= at) open.pop_back();
      const Ps end = open.empty() ? to : std::min(to, events.end(slices[open.back()]));
      if (!open.empty()) f(open.back(), Interval{at, end});
      at = end;
    }
  };
  for (size_t i = 0; i < slices.size(); ++i) {
    advance(std::clamp(events.begin(slices[i]), window.begin, window.end));
    open.push_back(i);
  }
  advance(window.end);
}

}  // namespace gait::timeline

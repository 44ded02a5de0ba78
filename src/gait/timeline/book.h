// Book: all tracks and names of a timeline, captured and derived, by their numbers. Numbers of the capture
// come first: a book of the capture alone is the beginning of the book of all tracks.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gait/timeline/derive/derive.h"
#include "gait/timeline/name_details.h"
#include "gait/timeline/tracks.h"

namespace gait::timeline {

struct Book {
  std::vector<const TimelineTrack*> tracks;  // by number
  std::vector<const SliceName*> names;       // by id
  std::vector<NameDetails> details;          // by name id

  // The track that shows the events of a captured track; null: no track does.
  const TimelineTrack* Find(const Trace& trace, TrackId track) const;

  // All arguments must outlive the book; `derived` may be null. O(names).
  Book(const Timeline& timeline, const Derived* derived, const NameDescriber& describer);

 private:
  std::map<std::pair<const Trace*, TrackId>, const TimelineTrack*> by_track_;
};

}  // namespace gait::timeline

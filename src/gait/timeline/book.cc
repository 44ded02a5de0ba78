#include "gait/timeline/book.h"

namespace gait::timeline {

Book::Book(const Timeline& timeline, const Derived* derived, const NameDescriber& describer) {
  std::vector<const TrackSet*> sets = {&timeline.captured};
  if (derived != nullptr) sets.push_back(&derived->set);
  for (const TrackSet* set : sets) {
    for (const TimelineTrack& track : set->tracks) {
      tracks.push_back(&track);
      if (!track.counter) by_track_[{track.trace, track.track}] = &track;
    }
  }
  for (const TrackSet* set : sets) {
    for (const SliceName& name : set->names) {
      names.push_back(&name);
      details.push_back(describer.Describe(name, *tracks[name.track]));
    }
  }
}

const TimelineTrack* Book::Find(const Trace& trace, TrackId track) const {
  const auto found = by_track_.find({&trace, track});
  return found == by_track_.end() ? nullptr : found->second;
}

}  // namespace gait::timeline

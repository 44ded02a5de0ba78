#include "gait/analyze/path/work_chain.h"

#include <algorithm>
#include <utility>

#include "gait/base/nearly_sorted.h"

namespace gait::analyze {

WorkChain::WorkChain(const Trace& trace, const std::vector<WorkItem>& work)
    : trace_(trace), tracks_(trace.tracks().size()) {
  for (const WorkItem& item : work) {
    OfTrack& of = tracks_[item.event.track.value];
    if (of.call.empty()) {
      const size_t size = trace.track(item.event.track).size();
      of.call.resize(size);
      of.first.resize(size);
    }
    of.call[item.event.index.value] = item.call;
    of.first[item.event.index.value] = item.first;
  }
  for (size_t t = 0; t < tracks_.size(); ++t) {
    OfTrack& of = tracks_[t];
    if (of.call.empty()) continue;
    const Track& track = trace.tracks()[t];
    std::vector<bool> contains(track.size());
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex parent = track.parent(EventIndex(i));
      if (parent.valid() && track.duration(EventIndex(i)) > Ps()) contains[parent.value] = true;
    }
    of.latest.resize(track.size());
    uint32_t latest = kNone;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!contains[i] && track.duration(event) > Ps()) {
        by_end_.push_back({track.end(event), {TrackId(t), event}});
        if (latest == kNone || track.end(event) >= track.end(EventIndex(latest)))
          latest = static_cast<uint32_t>(i);
      }
      of.latest[i] = latest;
    }
  }
  // Tracks come one after the other, each in order of begin and nearly in order of end.
  SortNearlySorted(by_end_, [](const Ended& e) { return std::pair(e.end, e.event); });
}

std::optional<EventRef> WorkChain::LastEnded(Ps time, size_t& cursor) const {
  if (cursor == kNoCursor) {
    cursor = static_cast<size_t>(std::ranges::upper_bound(by_end_, time, {}, &Ended::end) - by_end_.begin());
  }
  while (cursor > 0 && by_end_[cursor - 1].end > time) --cursor;
  return cursor == 0 ? std::nullopt : std::optional(by_end_[cursor - 1].event);
}

std::optional<EventRef> WorkChain::Before(EventRef event, size_t& cursor) const {
  const Track& track = trace_.track(event.track);
  const Ps begin = track.begin(event.index);
  const std::vector<uint32_t>& latest = tracks_[event.track.value].latest;
  const uint32_t own = event.index.value == 0 ? kNone : latest[event.index.value - 1];
  if (own == kNone) return LastEnded(begin, cursor);
  const EventRef before{event.track, EventIndex(own)};
  if (track.end(before.index) >= begin) return before;
  const std::optional<EventRef> any = LastEnded(begin, cursor);
  return any && trace_.track(any->track).end(any->index) > track.end(before.index) ? any : before;
}

std::optional<EventRef> WorkChain::Launch(EventRef event) const {
  const OfTrack& of = tracks_[event.track.value];
  const EventRef call = of.call[event.index.value];
  return of.first[event.index.value] && call.track.valid() ? std::optional(call) : std::nullopt;
}

bool WorkChain::HasCall(EventRef event) const {
  return tracks_[event.track.value].call[event.index.value].track.valid();
}

}  // namespace gait::analyze

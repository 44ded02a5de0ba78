#include "gait/analyze/question/path/work_chain.h"

#include <algorithm>

#include "gait/base/nearly_sorted.h"

namespace gait::analyze {
namespace {

// By track and event: whether other work that takes time lies inside it. Empty for tracks without parents.
std::vector<std::vector<bool>> Containers(const Trace& trace, const std::vector<TrackId>& tracks) {
  std::vector<std::vector<bool>> contains(trace.tracks().size());
  for (const TrackId id : tracks) {
    const Track& track = trace.track(id);
    if (!track.has_parents()) continue;
    std::vector<bool>& of = contains[id.value];
    of.resize(track.size());
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex parent = track.parent(EventIndex(i));
      if (parent.valid() && track.duration(EventIndex(i)) > Ps()) of[parent.value] = true;
    }
  }
  return contains;
}

// Of those that end together the last of the last track comes last.
struct ByEnd {
  const WorkItem* item;

  friend bool operator<(const ByEnd& a, const ByEnd& b) {
    return a.item->time.end != b.item->time.end ? a.item->time.end < b.item->time.end
                                                : a.item->event < b.item->event;
  }
};

}  // namespace

WorkChain::WorkChain(const Trace& trace, const Device& device, const std::vector<WorkItem>& work)
    : trace_(trace), work_(work), before_(work.size()), by_end_(work.size()) {
  const std::vector<std::vector<bool>> contains = Containers(trace, device.work);
  struct OnTrack {
    const std::vector<bool>* contains = nullptr;  // null: none of its events contains another
    uint32_t latest = kNone;                      // to end
    Ps end = -kMaxTime;
  };
  std::vector<OnTrack> tracks(trace.tracks().size());
  for (const TrackId id : device.work) {
    if (!contains[id.value].empty()) tracks[id.value].contains = &contains[id.value];
  }
  bool communicates = false;
  size_t pieces = 0;
  bool in_order = true;  // of end, no two of them equal
  Ps reached = -kMaxTime;
  for (uint32_t i = 0, size = static_cast<uint32_t>(work.size()); i < size; ++i) {
    const WorkItem& item = work[i];
    OnTrack& track = tracks[item.event.track.value];
    before_[i] = track.latest;
    communicates |= item.work == WorkClass::kCommunication;
    if (item.time.empty() || (track.contains != nullptr && (*track.contains)[item.event.index.value]))
      continue;
    const Ps end = item.time.end;
    by_end_[pieces++] = i;
    in_order &= reached < end;
    reached = end;
    if (end < track.end) continue;
    track.latest = i;
    track.end = end;
  }
  communicates_ = communicates;
  by_end_.resize(pieces);
  if (!in_order) SortNearlySorted(by_end_, [&](uint32_t piece) { return ByEnd{&work[piece]}; });
}

uint32_t WorkChain::Find(EventRef event) const {
  const auto begin = [&](const WorkItem& item) { return item.time.begin; };
  auto at = std::ranges::lower_bound(work_, trace_.track(event.track).begin(event.index), {}, begin);
  while (at != work_.end() && at->event != event) ++at;
  return at == work_.end() ? kNone : static_cast<uint32_t>(at - work_.begin());
}

uint32_t WorkChain::FindCollective(Ps begin) const {
  const auto begin_of = [&](const WorkItem& item) { return item.time.begin; };
  for (auto at = std::ranges::lower_bound(work_, begin, {}, begin_of);
       at != work_.end() && begin_of(*at) == begin; ++at) {
    if (at->work == WorkClass::kCommunication) return static_cast<uint32_t>(at - work_.begin());
  }
  return kNone;
}

uint32_t WorkChain::FindBegun(Ps begin) const {
  const auto at =
      std::ranges::lower_bound(work_, begin, {}, [](const WorkItem& item) { return item.time.begin; });
  return at != work_.end() && at->time.begin == begin ? static_cast<uint32_t>(at - work_.begin()) : kNone;
}

uint32_t WorkChain::LastEnded(Ps time, size_t& cursor) const {
  if (cursor == kNoCursor) {
    const auto end = [&](uint32_t piece) { return work_[piece].time.end; };
    cursor = static_cast<size_t>(std::ranges::upper_bound(by_end_, time, {}, end) - by_end_.begin());
  }
  while (cursor > 0 && work_[by_end_[cursor - 1]].time.end > time) --cursor;
  return cursor == 0 ? kNone : by_end_[cursor - 1];
}

uint32_t WorkChain::BeforeGap(uint32_t piece, size_t& cursor) const {
  const uint32_t own = before_[piece];
  const uint32_t any = LastEnded(time(piece).begin, cursor);
  if (own == kNone) return any;
  return any != kNone && time(any).end > time(own).end ? any : own;
}

}  // namespace gait::analyze

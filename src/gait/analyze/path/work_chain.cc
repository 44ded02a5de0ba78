#include "gait/analyze/path/work_chain.h"

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

  friend auto operator<=>(const ByEnd& a, const ByEnd& b) {
    return a.item->time.end != b.item->time.end ? a.item->time.end <=> b.item->time.end
                                                : a.item->event <=> b.item->event;
  }
  friend bool operator==(const ByEnd& a, const ByEnd& b) { return (a <=> b) == 0; }
};

}  // namespace

WorkChain::WorkChain(const Trace& trace, const Device& device, const std::vector<WorkItem>& work)
    : trace_(trace), work_(work), before_(work.size(), kNone) {
  const std::vector<std::vector<bool>> contains = Containers(trace, device.work);
  struct Latest {
    uint32_t piece = kNone;
    Ps end;
  };
  std::vector<Latest> latest(trace.tracks().size());
  by_end_.reserve(work.size());
  for (uint32_t i = 0; i < work.size(); ++i) {
    const EventRef event = work[i].event;
    Latest& of_track = latest[event.track.value];
    before_[i] = of_track.piece;
    const std::vector<bool>& around = contains[event.track.value];
    const Interval time = work[i].time;
    if (time.empty() || (!around.empty() && around[event.index.value])) continue;
    by_end_.push_back(i);
    if (of_track.piece == kNone || time.end >= of_track.end) of_track = {i, time.end};
  }
  SortNearlySorted(by_end_, [&](uint32_t piece) { return ByEnd{&work[piece]}; });
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

#include "gait/analyze/path/work_chain.h"

#include <algorithm>

#include "gait/base/nearly_sorted.h"

namespace gait::analyze {
namespace {

// By track and event: whether other work that takes time lies inside it. Empty for tracks without parents.
std::vector<std::vector<bool>> Containers(const Trace& trace, const std::vector<WorkItem>& work) {
  std::vector<std::vector<bool>> contains(trace.tracks().size());
  for (const WorkItem& item : work) {
    const Track& track = trace.track(item.event.track);
    const EventIndex parent = track.parent(item.event.index);
    if (!parent.valid() || track.duration(item.event.index) == Ps()) continue;
    std::vector<bool>& of = contains[item.event.track.value];
    if (of.empty()) of.resize(track.size());
    of[parent.value] = true;
  }
  return contains;
}

// Of those that end together the last of the last track comes last.
struct ByEnd {
  Ps end;
  const WorkItem* item;

  friend auto operator<=>(const ByEnd& a, const ByEnd& b) {
    return a.end != b.end ? a.end <=> b.end : a.item->event <=> b.item->event;
  }
  friend bool operator==(const ByEnd& a, const ByEnd& b) { return (a <=> b) == 0; }
};

}  // namespace

WorkChain::WorkChain(const Trace& trace, const std::vector<WorkItem>& work)
    : trace_(trace), work_(work), before_(work.size(), kNone) {
  const std::vector<std::vector<bool>> contains = Containers(trace, work);
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
    const Interval time = work[i].time(trace);
    if (time.empty() || (!around.empty() && around[event.index.value])) continue;
    by_end_.push_back({time.end, i});
    if (of_track.piece == kNone || time.end >= of_track.end) of_track = {i, time.end};
  }
  SortNearlySorted(by_end_, [&](const Ended& e) { return ByEnd{e.end, &work[e.piece]}; });
}

uint32_t WorkChain::Find(EventRef event) const {
  const auto begin = [&](const WorkItem& item) { return item.time(trace_).begin; };
  auto at = std::ranges::lower_bound(work_, trace_.track(event.track).begin(event.index), {}, begin);
  while (at != work_.end() && at->event != event) ++at;
  return at == work_.end() ? kNone : static_cast<uint32_t>(at - work_.begin());
}

uint32_t WorkChain::FindCollective(Ps begin) const {
  const auto begin_of = [&](const WorkItem& item) { return item.time(trace_).begin; };
  for (auto at = std::ranges::lower_bound(work_, begin, {}, begin_of);
       at != work_.end() && begin_of(*at) == begin; ++at) {
    if (at->work == WorkClass::kCommunication) return static_cast<uint32_t>(at - work_.begin());
  }
  return kNone;
}

uint32_t WorkChain::LastEnded(Ps time, size_t& cursor) const {
  if (cursor == kNoCursor) {
    cursor = static_cast<size_t>(std::ranges::upper_bound(by_end_, time, {}, &Ended::end) - by_end_.begin());
  }
  while (cursor > 0 && by_end_[cursor - 1].end > time) --cursor;
  return cursor == 0 ? kNone : by_end_[cursor - 1].piece;
}

uint32_t WorkChain::Before(uint32_t piece, size_t& cursor) const {
  const Ps begin = time(piece).begin;
  const uint32_t own = before_[piece];
  if (own == kNone) return LastEnded(begin, cursor);
  const Ps own_end = time(own).end;
  if (own_end >= begin) return own;
  const uint32_t any = LastEnded(begin, cursor);
  return any != kNone && time(any).end > own_end ? any : own;
}

}  // namespace gait::analyze

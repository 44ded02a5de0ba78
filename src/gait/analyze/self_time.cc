#include "gait/analyze/self_time.h"

#include <algorithm>

namespace gait::analyze {
namespace {

struct Running {
  int rank;  // of the class: the smallest owns
  uint32_t order;
  Ps end;
  EventRef event;

  // Of two that run, the greater one owns the instant.
  friend bool operator<(const Running& a, const Running& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.order < b.order;
  }
};

}  // namespace

std::vector<EventRef> InOrder(const Trace& trace, const Device& device) {
  std::vector<EventRef> order;
  const auto later = [&](EventRef a, EventRef b) {
    const Track& on_a = trace.track(a.track);
    const Track& on_b = trace.track(b.track);
    const Ps begin_a = on_a.begin(a.index);
    const Ps begin_b = on_b.begin(b.index);
    return begin_a != begin_b ? begin_a < begin_b : on_a.duration(a.index) > on_b.duration(b.index);
  };
  for (const TrackId id : device.work) {
    const auto middle = static_cast<ptrdiff_t>(order.size());
    for (size_t i = 0; i < trace.track(id).size(); ++i) order.push_back({id, EventIndex(i)});
    std::inplace_merge(order.begin(), order.begin() + middle, order.end(), later);
  }
  return order;
}

std::vector<Slice> SelfSlices(const Trace& trace, const Device& device, const WorkClasses& classes) {
  return SelfSlices(trace, InOrder(trace, device), classes);
}

std::vector<Slice> SelfSlices(const Trace& trace, const std::vector<EventRef>& order,
                              const WorkClasses& classes) {
  std::vector<Slice> slices;
  slices.reserve(order.size());
  std::vector<Running> running;  // a heap; what has ended stays in it until it comes to the top
  Ps at;
  const auto advance = [&](Ps until) {
    while (!running.empty() && at < until) {
      const Running& owner = running.front();
      if (owner.end <= at) {
        std::pop_heap(running.begin(), running.end());
        running.pop_back();
        continue;
      }
      const Ps stop = std::min(owner.end, until);
      if (!slices.empty() && slices.back().event == owner.event && slices.back().time.end == at) {
        slices.back().time.end = stop;
      } else {
        slices.push_back({{at, stop}, owner.event});
      }
      at = stop;
    }
    at = until;
  };
  for (size_t i = 0; i < order.size(); ++i) {
    const Track& track = trace.track(order[i].track);
    const Ps begin = track.begin(order[i].index);
    if (running.empty()) at = begin;
    advance(begin);
    if (track.duration(order[i].index) == Ps()) continue;
    running.push_back({static_cast<int>(classes(track, order[i].index)), static_cast<uint32_t>(i),
                       track.end(order[i].index), order[i]});
    std::push_heap(running.begin(), running.end());
  }
  advance(kMaxTime);
  return slices;
}

}  // namespace gait::analyze

// The work of one device as a chain to walk backwards: what ended before a piece of work began.
//
// Only pieces that contain no other (of a loop and its body the body) and that take time. O(events log
// events) to make, O(log events) per question.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/device_work.h"

namespace gait::analyze {

class WorkChain {
 public:
  static constexpr size_t kNoCursor = ~size_t{0};

  WorkChain(const Trace& trace, const std::vector<WorkItem>& work);

  // The last to end at or before a time; nullopt: none. A walk asks for earlier and earlier times: `cursor`
  // makes that cheap. It starts as kNoCursor.
  std::optional<EventRef> LastEnded(Ps time, size_t& cursor) const;
  // What had to end before this began: of the work of its own track that had begun before and of all work
  // that ended before, the last to end. What still ran on its own track counts as ended then.
  std::optional<EventRef> Before(EventRef event, size_t& cursor) const;
  // Its call, where it is the first work of that call; else nullopt.
  std::optional<EventRef> Launch(EventRef event) const;
  bool HasCall(EventRef event) const;

 private:
  struct OfTrack {
    std::vector<uint32_t> latest;  // by event: of it and all before it, the last to end; kNone: none
    std::vector<EventRef> call;    // by event
    std::vector<bool> first;       // by event: the first work of its call
  };
  static constexpr uint32_t kNone = 0xffffffff;

  const Trace& trace_;
  std::vector<OfTrack> tracks_;  // by TrackId; empty for others
  struct Ended {
    Ps end;
    EventRef event;
  };
  std::vector<Ended> by_end_;  // in order of end
};

}  // namespace gait::analyze

// The work of one device as a chain to walk backwards: what ended before a piece of work began.
//
// Pieces are called by their place in the device's work. Only those that contain no other (of a loop and its
// body the body) and that take time are answers. O(events log events) to make, O(log events) per question.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gait/analyze/device/device_work.h"

namespace gait::analyze {

class WorkChain {
 public:
  static constexpr size_t kNoCursor = ~size_t{0};
  static constexpr uint32_t kNone = 0xffffffff;

  // `work` is the device's. All must outlive the chain.
  WorkChain(const Trace& trace, const Device& device, const std::vector<WorkItem>& work);

  const WorkItem& operator[](uint32_t piece) const { return work_[piece]; }
  Interval time(uint32_t piece) const { return work_[piece].time; }
  // The place of an event of the device.
  uint32_t Find(EventRef event) const;
  bool communicates() const { return communicates_; }  // any of its work does
  // The communication that begins then, or kNone.
  uint32_t FindCollective(Ps begin) const;
  // The first to begin then, or kNone.
  uint32_t FindBegun(Ps begin) const;

  // The last to end at or before a time, or kNone. A walk asks for earlier and earlier times: `cursor` makes
  // that cheap. It starts as kNoCursor.
  uint32_t LastEnded(Ps time, size_t& cursor) const;
  // What had to end before this began, or kNone: of the work of its own track that had begun before and of
  // all work that ended before, the last to end. What still ran on its own track counts as ended then.
  uint32_t Before(uint32_t piece, size_t& cursor) const {
    const uint32_t own = before_[piece];
    return own != kNone && time(own).end >= time(piece).begin ? own : BeforeGap(piece, cursor);
  }

 private:
  // The same where nothing of its own track ran until it began.
  uint32_t BeforeGap(uint32_t piece, size_t& cursor) const;

  const Trace& trace_;
  const std::vector<WorkItem>& work_;
  std::vector<uint32_t> before_;  // by piece: of those before it on its track, the last to end
  std::vector<uint32_t> by_end_;  // pieces in order of end
  bool communicates_ = false;
};

}  // namespace gait::analyze

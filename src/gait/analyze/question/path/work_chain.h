// The work of one device as a chain to walk backwards: from a piece of work to the work that ended before it
// began.
//
// A piece is named by its place in the device's work. An answer is always a piece that takes time and
// contains no other piece (of a loop and its body: of the body). O(events log events) to make, O(log events)
// per question.
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

  // `work` is the work of the device. All arguments must outlive the chain.
  WorkChain(const Trace& trace, const Device& device, const std::vector<WorkItem>& work);

  const WorkItem& operator[](uint32_t piece) const { return work_[piece]; }
  Interval time(uint32_t piece) const { return work_[piece].time; }
  // The place of an event of the device.
  uint32_t Find(EventRef event) const;
  bool communicates() const { return communicates_; }  // any of its work does
  // The communication that begins at this time, or kNone.
  uint32_t FindCollective(Ps begin) const;
  // The first piece that begins at this time, or kNone.
  uint32_t FindBegun(Ps begin) const;

  // The piece that ends last at or before a time, or kNone. A walk asks for earlier and earlier times:
  // `cursor`, at first kNoCursor, makes that cheap.
  uint32_t LastEnded(Ps time, size_t& cursor) const;
  // The piece that had to end before this one began, or kNone. Candidates are the pieces of its own track
  // that had begun before, and all pieces that ended before; the last to end is taken. A piece of the same
  // track that still ran counts as ended at that moment.
  uint32_t Before(uint32_t piece, size_t& cursor) const {
    const uint32_t own = before_[piece];
    return own != kNone && time(own).end >= time(piece).begin ? own : BeforeGap(piece, cursor);
  }

 private:
  // The same for a piece with a gap before it on its own track.
  uint32_t BeforeGap(uint32_t piece, size_t& cursor) const;

  const Trace& trace_;
  const std::vector<WorkItem>& work_;
  std::vector<uint32_t> before_;  // by piece: of those before it on its track, the last to end
  std::vector<uint32_t> by_end_;  // pieces in order of end
  bool communicates_ = false;
};

}  // namespace gait::analyze

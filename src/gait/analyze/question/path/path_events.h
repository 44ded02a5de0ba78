// The parts of critical paths, and their sums by name.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gait/analyze/host/path_class.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct PathPart {
  Interval time;
  PathClass in;
  EventRef event;     // the work, the call, or what ran on the host; invalid track: nothing is recorded
  uint32_t host = 0;  // of the event, in the run
};

struct PathEvent {
  PathClass in;
  InstructionRef instruction;  // of device work that has one
  StringId name;               // of everything else; invalid: nothing is recorded
  Ps time;
  uint64_t count = 0;  // how often: parts that follow each other count once
};

// Sums the parts of paths of one host by name. Device work has few argument sets and names, so these index
// arrays.
class PathEvents {
 public:
  explicit PathEvents(const Trace& trace);

  // Adds a part, passed as its members: a whole part would have to be written to memory first.
  void Add(PathClass in, EventRef of, Ps time, bool follows_same) {
    PathEvent& event = events_[Slot(in, of)];
    event.time += time;
    event.count += follows_same ? 0 : 1;
  }
  std::vector<PathEvent> Take() &&;  // the longest first

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  static constexpr size_t kWorkClasses = 3;  // compute, communication, copies

  uint32_t Slot(PathClass c, EventRef event) {
    if (c > PathClass::kCopies || !event.track.valid()) return SlotOfOther(c, event);
    const Track& track = trace_.track(event.track);
    if (track.info().kind == TrackKind::kThread) return SlotOfOther(c, event);
    const uint32_t slot = by_set_[track.args(event.index).value * kWorkClasses + Index(c)];
    return slot != kNone ? slot : SlotOfWork(c, event);
  }
  uint32_t SlotOfWork(PathClass c, EventRef event);
  uint32_t SlotOfOther(PathClass c, EventRef event);
  uint32_t Named(PathClass c, StringId name);
  uint32_t New(PathClass c, InstructionRef instruction, StringId name);

  const Trace& trace_;
  std::vector<PathEvent> events_;
  std::vector<uint32_t> by_set_;
  std::array<std::unordered_map<uint64_t, uint32_t>, kWorkClasses> by_instruction_;
  std::unordered_map<uint64_t, uint32_t> by_name_;
  std::array<uint32_t, kPathClasses> without_name_;  // by class: gaps between kernels are many
};

}  // namespace gait::analyze

// What lies on critical paths: their parts, and the sums of these by name.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gait/analyze/path/path_class.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct PathPart {
  Interval time;
  PathClass in;
  EventRef event;   // the work, the call, or what ran on the host; invalid track: nothing is recorded
  size_t host = 0;  // of the event, in the run
};

struct PathEvent {
  PathClass in;
  InstructionRef instruction;  // of device work that has one
  StringId name;               // of everything else; invalid: nothing is recorded
  Ps time;
  uint64_t count = 0;  // how often: parts that follow each other count once
};

// Sums the parts of paths by name, of one host. Device work has few argument sets and names: they index
// arrays.
class PathEvents {
 public:
  explicit PathEvents(const Trace& trace);

  void Add(const PathPart& part, bool follows_same) {
    PathEvent& event = events_[Slot(part)];
    event.time += part.time.length();
    if (!follows_same) ++event.count;
  }
  std::vector<PathEvent> Take() &&;  // the longest first

 private:
  size_t Slot(const PathPart& part);
  size_t Named(PathClass c, StringId name);
  size_t New(PathClass c, InstructionRef instruction, StringId name);

  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kWorkClasses = 3;  // compute, communication, copies
  const Trace& trace_;
  std::vector<PathEvent> events_;
  std::vector<size_t> by_set_;
  std::array<std::unordered_map<uint64_t, size_t>, kWorkClasses> by_instruction_;
  std::unordered_map<uint64_t, size_t> by_name_;
};

}  // namespace gait::analyze

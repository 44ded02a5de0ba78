// EventReplay: guesses the next event of a line. Programs run the same operations in the same order, so an
// event is mostly followed by the same event as last time. A guess is right when the message has the bytes of
// the remembered event, except for times and varying values: then no argument needs to be looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gait/read/xplane/tables.h"
#include "gait/trace/args.h"

namespace gait::xplane {

class EventReplay {
 public:
  // The place of a varying value.
  struct Hole {
    uint32_t begin = 0;  // from the first argument on
    uint32_t size = 0;
    uint8_t tag = 0;    // the byte before it, which says how to read it
    uint64_t base = 0;  // of the value column
  };
  struct Pattern {
    std::string id{};         // the event's name id, with its tag
    std::string arguments{};  // all of them, to the end of the message
    std::vector<Hole> holes{};
    const EventMetadata* metadata = nullptr;
    ArgSetId set{};
    uint32_t next = kNone;  // what came after it last time
  };

  // The event that probably comes next; null when there is no guess.
  const Pattern* Guess() const {
    if (last_ == kNone || patterns_[last_].next == kNone) return nullptr;
    return &patterns_[patterns_[last_].next];
  }
  void Right() { last_ = patterns_[last_].next; }
  // Tells that the event with this number came instead (numbers are the caller's choice, small and dense).
  // The caller fills the returned pattern if it is new or of another length.
  Pattern& Came(uint32_t number) {
    if (number >= patterns_.size()) patterns_.resize(number + 1);
    if (last_ != kNone) patterns_[last_].next = number;
    last_ = number;
    return patterns_[number];
  }
  // Tells that an event without a number came.
  void Lost() { last_ = kNone; }

 private:
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);

  std::vector<Pattern> patterns_;  // by number
  uint32_t last_ = kNone;
};

}  // namespace gait::xplane

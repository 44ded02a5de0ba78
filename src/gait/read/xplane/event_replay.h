// EventReplay: guesses the next event of a line. Programs run the same operations in the same order, so after
// an event there mostly comes what came after it last time. A guess is right when the message has the bytes
// of the remembered one, but for its times and the values that vary: then no argument needs to be looked at.
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
  // Where a varying value stands.
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

  // What probably comes next; null when there is no guess.
  const Pattern* Guess() const {
    if (last_ == kNone || patterns_[last_].next == kNone) return nullptr;
    return &patterns_[patterns_[last_].next];
  }
  void Right() { last_ = patterns_[last_].next; }
  // The event with this number (small and dense, its caller's choice) came instead. Its pattern is to be
  // filled when it is new or of another length.
  Pattern& Came(uint32_t number) {
    if (number >= patterns_.size()) patterns_.resize(number + 1);
    if (last_ != kNone) patterns_[last_].next = number;
    last_ = number;
    return patterns_[number];
  }
  // Something came that has no number.
  void Lost() { last_ = kNone; }

 private:
  static constexpr uint32_t kNone = static_cast<uint32_t>(-1);

  std::vector<Pattern> patterns_;  // by number
  uint32_t last_ = kNone;
};

}  // namespace gait::xplane

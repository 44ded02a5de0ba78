// AheadTurn: a turn for work of low priority: work that may be asked for next, or that nobody looks at
// closely. Such work must not cost the browser frames: one piece runs at a time, and none begins while a
// person moves about the timeline. Thread-safe.
#pragma once

#include <chrono>
#include <stop_token>

namespace gait::serve {

// Notes that a person asks for a part of the picture now.
void SomebodyMoves();

// Waits until no other turn is taken and nobody has moved for a moment. A person who never rests is waited
// for no longer than `most_wait`.
class AheadTurn {
 public:
  static constexpr std::chrono::seconds kMostWait{30};

  explicit AheadTurn(std::chrono::seconds most_wait = kMostWait, const std::stop_token& stop = {});
  ~AheadTurn();
  AheadTurn(const AheadTurn&) = delete;
  AheadTurn& operator=(const AheadTurn&) = delete;

  // False: the wait was stopped before the turn came.
  explicit operator bool() const { return came_; }

 private:
  bool came_ = false;
};

}  // namespace gait::serve

// AheadTurn: work that may be asked for next, or that nobody looks at closely, must not cost the browser
// frames. It is done one piece after the other, and none begins while somebody moves about the timeline.
// Thread-safe.
#pragma once

#include <chrono>
#include <stop_token>

namespace gait::serve {

// Somebody asks for a part of the picture, and draws as fast as it can now.
void SomebodyMoves();

// Waits until the other turns are over and nobody has moved for a moment; for one who never rests no longer
// than the limit.
class AheadTurn {
 public:
  static constexpr std::chrono::seconds kMostWait{30};

  explicit AheadTurn(std::chrono::seconds most_wait = kMostWait, const std::stop_token& stop = {});
  ~AheadTurn();
  AheadTurn(const AheadTurn&) = delete;
  AheadTurn& operator=(const AheadTurn&) = delete;

  // False: it was stopped before the turn came.
  explicit operator bool() const { return came_; }

 private:
  bool came_ = false;
};

}  // namespace gait::serve

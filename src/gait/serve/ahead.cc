#include "gait/serve/ahead.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace gait::serve {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRest(1);  // on the way back nothing is asked for: the page has those tiles

// Of the whole process, as the processors are.
struct Turns {
  std::mutex mutex;
  std::condition_variable_any over;
  bool taken = false;
  SteadyClock::time_point moved;
};

Turns& All() {
  static Turns turns;
  return turns;
}

}  // namespace

void SomebodyMoves() {
  const std::scoped_lock lock(All().mutex);
  All().moved = SteadyClock::now();
}

AheadTurn::AheadTurn(std::chrono::seconds most_wait, const std::stop_token& stop) {
  Turns& turns = All();
  const SteadyClock::time_point latest = SteadyClock::now() + most_wait;
  std::unique_lock lock(turns.mutex);
  while (!stop.stop_requested()) {
    const SteadyClock::time_point rested = std::min(latest, turns.moved + kRest);
    if (turns.taken) {
      turns.over.wait(lock, stop, [&] { return !turns.taken; });
    } else if (SteadyClock::now() < rested) {
      turns.over.wait_until(lock, stop, rested, [&] { return turns.taken; });
    } else {
      turns.taken = came_ = true;
      return;
    }
  }
}

AheadTurn::~AheadTurn() {
  if (!came_) return;
  const std::scoped_lock lock(All().mutex);
  All().taken = false;
  All().over.notify_all();
}

}  // namespace gait::serve

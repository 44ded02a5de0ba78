#include "gait/serve/ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace gait::serve {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(AheadTurn, OneAtATime) {
  std::atomic<int> inside = 0;
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const AheadTurn turn;
        EXPECT_EQ(++inside, 1);
        std::this_thread::sleep_for(milliseconds(5));
        --inside;
        ++done;
      });
    }
  }
  EXPECT_EQ(done, 4);
}

// Shorter than the rest that a turn waits for. A machine that stands still longer lets it come rightly.
constexpr milliseconds kNoRest(900);

TEST(AheadTurn, WaitsWhileSomebodyMoves) {
  std::atomic<bool> came = false;
  Clock::time_point moved = Clock::now();
  SomebodyMoves();
  std::jthread ahead([&] {
    const AheadTurn turn;
    came = true;
  });
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(milliseconds(120));
    const bool early = came;
    const Clock::time_point again = Clock::now();
    if (again - moved > kNoRest) break;
    EXPECT_FALSE(early);
    moved = again;
    SomebodyMoves();
  }
  ahead.join();
  EXPECT_TRUE(came);
}

TEST(AheadTurn, WaitsNoLongerThanItsLimitForOneWhoNeverRests) {
  std::atomic<bool> came = false;
  std::jthread ahead([&] {
    SomebodyMoves();
    const AheadTurn turn(std::chrono::seconds(1));
    came = true;
  });
  const Clock::time_point began = Clock::now();
  while (!came && Clock::now() - began < std::chrono::seconds(20)) {
    SomebodyMoves();
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_TRUE(came);
}

TEST(AheadTurn, ThatIsStoppedDoesNotWait) {
  Clock::duration taken{};
  std::atomic<bool> came = true;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Clock::time_point began = Clock::now();
    SomebodyMoves();
    std::jthread ahead([&](const std::stop_token& stop) {
      came = static_cast<bool>(AheadTurn(AheadTurn::kMostWait, stop));
    });
    ahead.request_stop();
    taken = Clock::now() - began;
    ahead.join();
    if (taken < kNoRest) break;
  }
  ASSERT_LT(taken, kNoRest) << "the machine stands still all the time";
  EXPECT_FALSE(came);
}

}  // namespace
}  // namespace gait::serve

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

TEST(AheadTurn, WaitsWhileSomebodyMoves) {
  std::atomic<bool> came = false;
  SomebodyMoves();
  std::jthread ahead([&] {
    const AheadTurn turn;
    came = true;
  });
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(milliseconds(120));
    SomebodyMoves();
    EXPECT_FALSE(came);
  }
  ahead.join();
  EXPECT_TRUE(came);
}

TEST(AheadTurn, ThatIsStoppedDoesNotWait) {
  SomebodyMoves();
  const Clock::time_point began = Clock::now();
  std::atomic<bool> came = true;
  {
    std::jthread ahead([&](const std::stop_token& stop) { came = static_cast<bool>(AheadTurn(stop)); });
  }
  EXPECT_FALSE(came);
  EXPECT_LT(Clock::now() - began, milliseconds(500));
}

}  // namespace
}  // namespace gait::serve

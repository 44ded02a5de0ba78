#include "gait/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gait {
namespace {

// An environment variable for the time of a test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    setenv(name, value, 1);
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;
  ~ScopedVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(ForEach, CallsEveryIndexOnce) {
  for (const size_t count : {0, 1, 2, 7, 5000}) {
    for (const size_t threads : {0, 1, 2, 8, 64}) {
      std::vector<std::atomic<int>> calls(count);
      ForEach(count, threads, [&](size_t i) { calls.at(i).fetch_add(1); });
      for (const auto& n : calls) ASSERT_EQ(n, 1) << count << " pieces, " << threads << " threads";
    }
  }
}

TEST(ForEach, LoopsInsideOfLoopsShareTheThreads) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> calls = 0;
  ForEach(4, 4, [&](size_t) {
    ForEach(8, 4, [&](size_t) {
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --running;
      ++calls;
    });
  });
  EXPECT_EQ(calls, 32);
  EXPECT_LE(most, 4);
  EXPECT_GE(most, 2);
}

TEST(ForEach, OneThreadIsTheCallersAndGoesInOrder) {
  std::vector<size_t> order;
  const std::thread::id caller = std::this_thread::get_id();
  ForEach(100, 1, [&](size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  std::vector<size_t> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

TEST(ForEach, SeveralThreadsWorkAtTheSameTime) {
  // Each piece waits until all have begun: only possible when every one has a thread of its own.
  std::atomic<size_t> begun = 0;
  std::set<std::thread::id> seen;
  std::mutex mutex;
  ForEach(4, 4, [&](size_t) {
    ++begun;
    while (begun < 4) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 4U);
}

TEST(ForEach, OfAThreadThatGivesWayStartsNoOther) {
  std::set<std::thread::id> seen;
  std::thread([&] {
    GiveWay(5);
    ForEach(100, 4, [&](size_t) { seen.insert(std::this_thread::get_id()); });
  }).join();
  EXPECT_EQ(seen.size(), 1U);
}

TEST(ForEach, WhatABodyThrowsReachesTheCaller) {
  for (const size_t threads : {1u, 4u}) {
    std::atomic<size_t> calls = 0;
    const auto body = [&](size_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("third");
    };
    EXPECT_THROW(ForEach(100'000, threads, body), std::runtime_error);
    EXPECT_LT(calls, 100'000u) << "the rest is left alone";
    calls = 0;
    ForEach(3, threads, body);  // the threads are there for the next loop
    EXPECT_EQ(calls, 3u);
  }
}

TEST(ForEach, EverythingIsVisibleAfterIt) {
  std::vector<size_t> squares(1000);
  ForEach(squares.size(), 8, [&](size_t i) { squares[i] = i * i; });
  for (size_t i = 0; i < squares.size(); ++i) ASSERT_EQ(squares[i], i * i);
}

TEST(DefaultThreads, FollowsTheVariable) {
  {
    const ScopedVariable set("GAIT_THREADS", "3");
    EXPECT_EQ(DefaultThreads(), 3U);
  }
  {
    const ScopedVariable set("GAIT_THREADS", "100000");
    EXPECT_EQ(DefaultThreads(), 256U);
  }
}

TEST(DefaultThreads, IgnoresNonsense) {
  for (const char* nonsense : {"", "0", "-4", "many"}) {
    const ScopedVariable set("GAIT_THREADS", nonsense);
    EXPECT_GE(DefaultThreads(), 1U) << nonsense;
    EXPECT_LE(DefaultThreads(), 4096U) << nonsense;
  }
}

}  // namespace
}  // namespace gait

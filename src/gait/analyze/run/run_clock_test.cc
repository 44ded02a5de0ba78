#include "gait/analyze/run/run_clock.h"

#include <gtest/gtest.h>

#include "gait/analyze/view/test_gpu.h"

namespace gait::analyze {
namespace {

// Hosts whose captures began then, each with one kernel 20 us after.
LoadedRun Started(const std::vector<std::optional<int64_t>>& starts) {
  LoadedRun run;
  for (const std::optional<int64_t> start : starts) {
    GpuRun host;
    host.Work(0, 14, 20, 10, "gemm");
    run.hosts.push_back({"host" + std::to_string(run.hosts.size()), "", host.Build(start)});
  }
  PutOnRunClock(run);
  return run;
}

Interval SpanOf(const LoadedRun& run, size_t host) { return run.hosts[host].trace.span(); }

TEST(RunClock, BeginsWithTheEarliestCapture) {
  const LoadedRun run = Started({1'005'000, 1'000'000});
  EXPECT_EQ(SpanOf(run, 0), (Interval{Microseconds(25), Microseconds(35)}));
  EXPECT_EQ(SpanOf(run, 1), (Interval{Microseconds(20), Microseconds(30)}));
  const Track& track = run.hosts[0].trace.tracks().front();
  EXPECT_EQ(track.interval(EventIndex(0)), (Interval{Microseconds(25), Microseconds(35)}));
  EXPECT_EQ(track.LowerBound(Microseconds(25)), EventIndex(0));
  EXPECT_TRUE(HostsOnOwnClock(run).empty());
}

TEST(RunClock, WhatTellsNoStartOrOneOfAnotherMonthStays) {
  constexpr int64_t kMonth = int64_t{31} * 86'400 * 1'000'000'000;
  const LoadedRun run = Started({2'000, std::nullopt, 1'000, 1'000 + kMonth, 0});
  EXPECT_EQ(SpanOf(run, 0).begin, Microseconds(21));
  for (const size_t host : {1, 2, 3, 4}) EXPECT_EQ(SpanOf(run, host).begin, Microseconds(20)) << host;
  EXPECT_EQ(HostsOnOwnClock(run), (std::vector<std::string>{"host1", "host3", "host4"}));
}

TEST(RunClock, OneHostHasItsOwn) {
  const LoadedRun run = Started({std::nullopt});
  EXPECT_EQ(SpanOf(run, 0).begin, Microseconds(20));
  EXPECT_TRUE(HostsOnOwnClock(run).empty());
}

}  // namespace
}  // namespace gait::analyze

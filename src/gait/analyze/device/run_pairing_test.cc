#include "gait/analyze/device/run_pairing.h"

#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace gait::analyze {
namespace {

EventRef CallAt(size_t i) { return {TrackId(0), EventIndex(i)}; }

std::vector<UnnamedCall> Calls(const std::vector<std::pair<int64_t, std::string>>& given) {
  std::vector<UnnamedCall> calls;
  for (const auto& [begin, module] : given)
    calls.push_back({CallAt(calls.size()), {Ps(begin), Ps(begin) + Ps(1)}, module});
  return calls;
}

UnnamedRun RunOf(int64_t id, int64_t begin, size_t device, std::string module = "jit_f") {
  return {id, Ps(begin), TrackId(10 + device), std::move(module)};
}

// By run id: which call.
std::vector<size_t> Places(const CallOfRun& found, const std::vector<int64_t>& ids) {
  std::vector<size_t> places;
  for (const int64_t id : ids) places.push_back(found.contains(id) ? found.at(id).index.value : 99);
  return places;
}

// f(x) on devices 0 and 1 in each step, dispatched at once: device 1 lags behind.
TEST(PairRuns, OneProgramOnSeveralDevicesGoesByRunIds) {
  const auto calls = Calls({{0, "jit_f"}, {1, "jit_f"}, {2, "jit_f"}, {3, "jit_f"}});
  const CallOfRun found =
      PairRuns(calls, {RunOf(500, 10, 0), RunOf(502, 20, 0), RunOf(501, 30, 1), RunOf(503, 50, 1)}, {});
  EXPECT_EQ(Places(found, {500, 501, 502, 503}), (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(PairRuns, ProgramsOfSeveralDevicesAreToldApartByName) {
  // g every second time, and its first run was asked for before the capture.
  const auto calls =
      Calls({{0, "jit_f"}, {1, "jit_f"}, {2, "jit_g"}, {3, "jit_f"}, {4, "jit_f"}, {5, "jit_g"}});
  const CallOfRun found =
      PairRuns(calls,
               {RunOf(500, 10, 0), RunOf(501, 20, 0), RunOf(502, 30, 0), RunOf(503, 40, 0),
                RunOf(90'000, 12, 1, "jit_g"), RunOf(90'001, 40, 1, "jit_g"), RunOf(90'002, 60, 1, "jit_g")},
               {});
  EXPECT_EQ(Places(found, {500, 501, 502, 503}), (std::vector<size_t>{0, 1, 3, 4}));
  EXPECT_EQ(Places(found, {90'000, 90'001, 90'002}), (std::vector<size_t>{99, 2, 5}));
}

// Two lambdas in a loop that does not wait: each has a counter of its own.
TEST(PairRuns, ProgramsOfOneNameTakeTurns) {
  const auto calls =
      Calls({{0, "jit_f"}, {1, "jit_f"}, {2, "jit_f"}, {3, "jit_f"}, {4, "jit_f"}, {5, "jit_f"}});
  const CallOfRun found = PairRuns(calls,
                                   {RunOf(90'000, 10, 0), RunOf(90'001, 20, 0), RunOf(90'002, 30, 0),
                                    RunOf(-7, 20, 1), RunOf(-6, 40, 1), RunOf(-5, 60, 1)},
                                   {{90'000, CallAt(0)}});
  EXPECT_EQ(Places(found, {90'000, -7, 90'001, -6, 90'002, -5}), (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
}

// One of the lambdas runs at the end only: what is known says that the runs went in order of time.
TEST(PairRuns, ProgramsOfOneNameGoInOrderOfTimeWhereThatFitsWhatIsKnown) {
  const auto calls = Calls({{0, "jit_f"}, {100, "jit_f"}, {200, "jit_f"}, {300, "jit_f"}});
  const CallOfRun found =
      PairRuns(calls, {RunOf(90'000, 10, 0), RunOf(90'001, 110, 0), RunOf(90'002, 210, 0), RunOf(-7, 310, 1)},
               {{90'000, CallAt(0)}, {90'002, CallAt(2)}});
  EXPECT_EQ(Places(found, {90'000, 90'001, 90'002, -7}), (std::vector<size_t>{0, 1, 2, 3}));
}

// One device; a second thread's program ran while the first one's waited in a task of the pool.
TEST(PairRuns, ThreadsOfOneDeviceAreToldApartByNameAndCounter) {
  const auto calls = Calls({{0, "jit_f"}, {1, "jit_g"}, {2, "jit_f"}, {3, "jit_g"}, {4, "jit_f"}});
  const std::vector<UnnamedRun> runs = {RunOf(90'000, 5, 0, "jit_g"), RunOf(90'001, 6, 0, "jit_g"),
                                        RunOf(500, 10, 0), RunOf(501, 20, 0), RunOf(502, 30, 0)};
  // A task that g's call gave ran f first, and one of f's the run after its own.
  const CallOfRun found =
      PairRuns(calls, runs, {{500, CallAt(1)}, {501, CallAt(2)}, {502, CallAt(4)}, {90'000, CallAt(1)}});
  EXPECT_EQ(Places(found, {500, 501, 502}), (std::vector<size_t>{0, 2, 4}));
  EXPECT_EQ(Places(found, {90'000, 90'001}), (std::vector<size_t>{1, 3}));
}

TEST(PairRuns, MostOfWhatIsKnownHoldsForTheCounter) {
  const auto calls = Calls({{0, "jit_f"}, {1, "jit_f"}, {2, "jit_f"}, {3, "jit_f"}});
  const CallOfRun found =
      PairRuns(calls, {RunOf(500, 10, 0), RunOf(501, 20, 0), RunOf(502, 30, 0), RunOf(503, 40, 0)},
               {{500, CallAt(0)}, {501, CallAt(2)}, {502, CallAt(2)}});
  EXPECT_EQ(Places(found, {500, 501, 502, 503}), (std::vector<size_t>{0, 1, 2, 3}));
}

// Two threads call f at the same time: which of them counted first is not known from when they began.
TEST(PairRuns, CallsThatOverlapKeepWhatIsKnown) {
  auto calls = Calls({{0, "jit_f"}, {10, "jit_f"}, {12, "jit_f"}, {30, "jit_f"}});
  calls[1].time.end = calls[2].time.end = Ps(15);
  const CallOfRun found =
      PairRuns(calls, {RunOf(500, 5, 0), RunOf(501, 20, 0), RunOf(502, 30, 0), RunOf(503, 40, 0)},
               {{500, CallAt(0)}, {501, CallAt(2)}, {502, CallAt(1)}, {503, CallAt(3)}});
  EXPECT_EQ(Places(found, {500, 501, 502, 503}), (std::vector<size_t>{0, 2, 1, 3}));
}

TEST(PairRuns, NoCallBeginsAfterItsRun) {
  for (const size_t device : {0, 1}) {
    const auto calls = Calls({{0, "jit_f"}, {100, "jit_f"}, {200, "jit_f"}});
    // The call of the second run is not in the capture, so that the order is one off after it.
    const CallOfRun found =
        PairRuns(calls, {RunOf(500, 10, 0), RunOf(501, 50, 0), RunOf(502, 110, device), RunOf(503, 210, 0)},
                 {{500, CallAt(0)}});
    EXPECT_EQ(Places(found, {500, 501, 502}), (std::vector<size_t>{0, 99, 99}));
  }
}

}  // namespace
}  // namespace gait::analyze

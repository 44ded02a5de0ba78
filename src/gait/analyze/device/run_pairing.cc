#include "gait/analyze/device/run_pairing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace gait::analyze {
namespace {

// Ids of one counter are close together; each counter begins at a hash of 32 bits.
constexpr uint64_t kMostBetweenRuns = 1000;
uint64_t Distance(const UnnamedRun& a, const UnnamedRun& b) {
  return static_cast<uint64_t>(b.id) - static_cast<uint64_t>(a.id);
}

std::vector<UnnamedRun> InOrderOfTime(std::vector<UnnamedRun> runs) {
  std::ranges::sort(runs, {}, [](const UnnamedRun& run) { return std::pair(run.begin, run.id); });
  return runs;
}

// By id; runs of several counters take turns, each as often as its share of all is.
std::vector<UnnamedRun> InTurns(std::vector<UnnamedRun> runs) {
  std::ranges::sort(runs, {}, &UnnamedRun::id);
  struct Turn {
    double at;  // of 1
    Ps first;   // of the counter
    size_t run;
  };
  std::vector<Turn> turns;
  for (size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
    for (end = begin + 1; end < runs.size() && Distance(runs[end - 1], runs[end]) <= kMostBetweenRuns;) ++end;
    const auto size = static_cast<double>(end - begin);
    for (size_t i = begin; i < end; ++i)
      turns.push_back({(static_cast<double>(i - begin) + 0.5) / size, runs[begin].begin, i});
  }
  std::ranges::sort(turns, {}, [](const Turn& turn) { return std::tuple(turn.at, turn.first, turn.run); });
  std::vector<UnnamedRun> ordered;
  ordered.reserve(runs.size());
  for (const Turn& turn : turns) ordered.push_back(std::move(runs[turn.run]));
  return ordered;
}

struct Offset {
  int64_t value;     // how many calls come before the first run's
  size_t votes = 0;  // of known runs
};

std::optional<Offset> FindOffset(const std::vector<UnnamedCall>& calls, const std::vector<UnnamedRun>& runs,
                                 const CallOfRun& known) {
  std::map<EventRef, int64_t> place;  // of a call
  for (size_t i = 0; i < calls.size(); ++i) place[calls[i].event] = static_cast<int64_t>(i);
  std::map<int64_t, size_t> votes;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto call = known.find(runs[i].id);
    const auto at = call == known.end() ? place.end() : place.find(call->second);
    if (at != place.end()) ++votes[at->second - static_cast<int64_t>(i)];
  }
  if (!votes.empty()) {
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    return Offset{most->first, most->second};
  }
  if (runs.size() < calls.size()) return std::nullopt;
  const size_t earlier = runs.size() - calls.size();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].time.begin > runs[earlier + i].begin) return std::nullopt;
  }
  return Offset{-static_cast<int64_t>(earlier)};
}

// Both in order.
void PairInOrder(const std::vector<UnnamedCall>& calls, const std::vector<UnnamedRun>& runs,
                 std::optional<Offset> offset, CallOfRun& found) {
  if (!offset) return;
  for (size_t i = 0; i < runs.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) + offset->value;
    if (at < 0 || at >= std::ssize(calls)) continue;
    const UnnamedCall& call = calls[static_cast<size_t>(at)];
    if (call.time.begin <= runs[i].begin) found.emplace(runs[i].id, call.event);
  }
}

bool IsOneCounter(const std::vector<UnnamedRun>& by_id) {
  for (size_t i = 1; i < by_id.size(); ++i) {
    if (Distance(by_id[i - 1], by_id[i]) > kMostBetweenRuns) return false;
  }
  return !by_id.empty();
}

// Runs of one counter, which counts the calls: the difference of two ids is that of the places of their
// calls. What most of the known ones say holds for all.
void PairByCounter(const std::vector<UnnamedCall>& calls, const std::vector<UnnamedRun>& by_id,
                   const CallOfRun& known, CallOfRun& found) {
  const auto index = [&](const UnnamedRun& run) { return static_cast<int64_t>(Distance(by_id[0], run)); };
  std::map<EventRef, int64_t> place;
  for (size_t i = 0; i < calls.size(); ++i) place[calls[i].event] = static_cast<int64_t>(i);
  std::map<int64_t, size_t> votes;
  size_t all = 0;
  for (const UnnamedRun& run : by_id) {
    const auto call = known.find(run.id);
    const auto at = call == known.end() ? place.end() : place.find(call->second);
    if (at == place.end()) continue;
    ++votes[at->second - index(run)];
    ++all;
  }
  int64_t offset = std::ssize(calls) - 1 - index(by_id.back());
  const auto call_at = [&](const UnnamedRun& run) -> const UnnamedCall* {
    const int64_t at = index(run) + offset;
    return at < 0 || at >= std::ssize(calls) ? nullptr : &calls[static_cast<size_t>(at)];
  };
  if (votes.empty()) {
    if (offset > 0) return;
    for (const UnnamedRun& run : by_id) {
      if (const UnnamedCall* call = call_at(run); call != nullptr && call->time.begin > run.begin) return;
    }
  } else {
    const auto most = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
    if (2 * most->second < all) return;
    offset = most->first;
  }
  const auto stays = [&](const UnnamedRun& run, const UnnamedCall& by_counter) {
    const auto pair = known.find(run.id);
    const auto at = pair == known.end() ? place.end() : place.find(pair->second);
    return at != place.end() && calls[static_cast<size_t>(at->second)].time.overlaps(by_counter.time);
  };
  for (const UnnamedRun& run : by_id) {
    const UnnamedCall* call = call_at(run);
    if (call == nullptr || call->time.begin > run.begin || stays(run, *call)) continue;
    found.insert_or_assign(run.id, call->event);
  }
}

}  // namespace

CallOfRun PairRuns(std::vector<UnnamedCall> calls, std::vector<UnnamedRun> runs, const CallOfRun& given) {
  CallOfRun known;
  std::map<EventRef, std::string_view> module_of;
  for (const UnnamedCall& call : calls) module_of[call.event] = call.module;
  for (const UnnamedRun& run : runs) {
    const auto call = given.find(run.id);
    if (call == given.end()) continue;
    const std::string_view asked = module_of[call->second];
    if (asked.empty() || run.module.empty() || asked == run.module) known.insert(*call);
  }
  CallOfRun found = known;
  std::ranges::sort(calls, {},
                    [](const UnnamedCall& call) { return std::pair(call.time.begin, call.event); });
  const bool one_device =
      std::ranges::all_of(runs, [&](const UnnamedRun& run) { return run.device == runs.front().device; });
  std::set<std::string> asked, ran;
  for (const UnnamedCall& call : calls) asked.insert(call.module);
  for (const UnnamedRun& run : runs) ran.insert(run.module);
  const auto lane = [&](const std::string& module) {
    return asked.contains(module) && ran.contains(module) ? module : std::string();
  };
  struct Lane {
    std::vector<UnnamedCall> calls;
    std::vector<UnnamedRun> runs;
  };
  std::map<std::string, Lane> lanes;
  for (UnnamedCall& call : calls) lanes[lane(call.module)].calls.push_back(std::move(call));
  for (UnnamedRun& run : runs) lanes[lane(run.module)].runs.push_back(std::move(run));
  for (auto& [module, of] : lanes) {
    std::ranges::sort(of.runs, {}, &UnnamedRun::id);
    if (!module.empty() && IsOneCounter(of.runs)) {
      PairByCounter(of.calls, of.runs, known, found);
      continue;
    }
    const std::vector<UnnamedRun> in_time = InOrderOfTime(of.runs);
    const std::vector<UnnamedRun> in_turns = InTurns(std::move(of.runs));
    const auto by_time = FindOffset(of.calls, in_time, known);
    const auto by_turns = FindOffset(of.calls, in_turns, known);
    const size_t turns = by_turns ? by_turns->votes : 0;
    const bool time =
        by_time && (!by_turns || by_time->votes > turns || (one_device && by_time->votes == turns));
    PairInOrder(of.calls, time ? in_time : in_turns, time ? by_time : by_turns, found);
  }
  return found;
}

}  // namespace gait::analyze

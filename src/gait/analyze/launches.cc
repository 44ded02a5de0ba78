#include "gait/analyze/launches.h"

#include <algorithm>
#include <unordered_set>

namespace gait::analyze {

Launches::Launches(const Trace& trace) : trace_(trace), module_track_(trace.planes().size()) {
  correlation_ = trace.strings().Find("correlation_id").value_or(StringId());
  run_ = trace.strings().Find("run_id").value_or(StringId());
  std::vector<bool> launches(trace.arg_sets().size());
  for (size_t i = 0; i < launches.size(); ++i) {
    launches[i] = std::ranges::any_of(trace.arg_sets()[ArgSetId(i)], [&](const ArgEntry& entry) {
      return entry.key == correlation_ || entry.key == run_;
    });
  }
  const StringId ordinal = trace.strings().Find("device_ordinal").value_or(StringId());
  std::vector<Ps> unnamed_calls;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind == TrackKind::kModules) module_track_[track.info().plane.value] = TrackId(t);
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      const Ps begin = track.begin(event.index);
      if (trace.name(event).ends_with("::ExecuteHelperOnSingleDevice")) unnamed_calls.push_back(begin);
      if (!launches[track.args(event.index).value]) continue;
      if (const auto id = trace.FindArg(event, correlation_)) {
        by_correlation_.emplace_back(id->integer().value_or(0), begin);
      } else if (const auto run = trace.FindArg(event, run_); run && !trace.FindArg(event, ordinal)) {
        // What has a device_ordinal is the run itself, on a worker's thread.
        by_run_.emplace_back(run->integer().value_or(0), begin);
      }
    }
  }
  PairInOrder(trace, unnamed_calls);
  // Of several calls with one id the first is the launch.
  for (Calls* calls : {&by_correlation_, &by_run_}) {
    std::ranges::sort(*calls);
    const auto repeated = std::ranges::unique(*calls, {}, &Calls::value_type::first);
    calls->erase(repeated.begin(), repeated.end());
  }
}

void Launches::PairInOrder(const Trace& trace, const std::vector<Ps>& calls) {
  std::vector<Ps> in_order = calls;
  std::ranges::sort(in_order);
  std::unordered_set<int64_t> known;
  for (const auto& [run, begin] : by_run_) known.insert(run);
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kOps || !track.info().derived) continue;
    std::vector<int64_t> runs;  // in order of their first operation
    std::unordered_set<int64_t> seen;
    for (size_t i = 0; i < track.size(); ++i) {
      const auto run = trace.FindArg({TrackId(t), EventIndex(i)}, run_);
      if (!run || !run->integer() || known.contains(*run->integer())) continue;
      if (seen.insert(*run->integer()).second) runs.push_back(*run->integer());
    }
    if (runs.size() != in_order.size()) continue;
    for (size_t i = 0; i < runs.size(); ++i) by_run_.emplace_back(runs[i], in_order[i]);
  }
}

std::optional<Ps> Launches::Find(const Calls& calls, int64_t id) {
  const auto found = std::ranges::lower_bound(calls, id, {}, &Calls::value_type::first);
  if (found == calls.end() || found->first != id) return std::nullopt;
  return found->second;
}

std::optional<int64_t> Launches::RunOfModule(const Device& device, Ps time) const {
  const TrackId modules = module_track_[device.plane.value];
  if (!modules.valid()) return std::nullopt;
  const Track& track = trace_.track(modules);
  const EventIndex after = track.LowerBound(time + Ps(1));
  if (after.value == 0) return std::nullopt;
  const EventIndex around(after.value - 1);
  if (!track.interval(around).contains(time)) return std::nullopt;
  const auto run = trace_.FindArg({modules, around}, run_);
  return run ? run->integer() : std::nullopt;
}

std::optional<Ps> Launches::Find(const Device& device, TrackId track, EventIndex event) const {
  const EventRef ref{track, event};
  if (const auto id = trace_.FindArg(ref, correlation_))
    return Find(by_correlation_, id->integer().value_or(0));
  if (const auto run = trace_.FindArg(ref, run_)) return Find(by_run_, run->integer().value_or(0));
  const auto run = RunOfModule(device, trace_.track(track).begin(event));
  return run ? Find(by_run_, *run) : std::nullopt;
}

}  // namespace gait::analyze

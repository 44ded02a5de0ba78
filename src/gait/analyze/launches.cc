#include "gait/analyze/launches.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "gait/analyze/host_names.h"

namespace gait::analyze {

void Launches::Calls::Finish() {
  std::ranges::sort(calls_, {}, [](const Entry& e) { return std::tuple(e.id, e.begin, e.call); });
  const auto repeated = std::ranges::unique(calls_, {}, &Entry::id);
  calls_.erase(repeated.begin(), repeated.end());
  dense_.clear();
  if (calls_.empty()) return;
  const uint64_t range = static_cast<uint64_t>(calls_.back().id) - static_cast<uint64_t>(calls_.front().id);
  if (range / 8 > calls_.size()) return;
  dense_.resize(range + 1);
  for (size_t i = 0; i < calls_.size(); ++i) {
    dense_[static_cast<size_t>(calls_[i].id - calls_.front().id)] = static_cast<uint32_t>(i + 1);
  }
}

std::optional<EventRef> Launches::Calls::Find(int64_t id) const {
  if (calls_.empty() || id < calls_.front().id || id > calls_.back().id) return std::nullopt;
  if (!dense_.empty()) {
    const uint32_t at = dense_[static_cast<size_t>(id - calls_.front().id)];
    return at == 0 ? std::nullopt : std::optional(calls_[at - 1].call);
  }
  const auto found = std::ranges::lower_bound(calls_, id, {}, &Entry::id);
  return found->id == id ? std::optional(found->call) : std::nullopt;
}

Launches::Launches(const Trace& trace)
    : trace_(trace),
      correlation_(trace, "correlation_id"),
      run_(trace, "run_id"),
      module_track_(trace.planes().size()) {
  producer_type_ = trace.strings().Find("_pt").value_or(StringId());
  producer_ = trace.strings().Find("_p").value_or(StringId());
  consumer_type_ = trace.strings().Find("_ct").value_or(StringId());
  consumer_ = trace.strings().Find("_c").value_or(StringId());
  std::vector<bool> unnamed(trace.strings().size());
  for (size_t i = 0; i < unnamed.size(); ++i)
    unnamed[i] = trace.text(StringId(i)).ends_with("::ExecuteHelperOnSingleDevice");
  const StringId ordinal = trace.strings().Find("device_ordinal").value_or(StringId());
  std::vector<EventRef> unnamed_calls;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind == TrackKind::kModules) module_track_[track.info().plane.value] = TrackId(t);
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (unnamed[track.name(event.index).value]) unnamed_calls.push_back(event);
      const ArgSetId set = track.args(event.index);
      if (!correlation_.in(set) && !run_.in(set)) continue;
      const Ps begin = track.begin(event.index);
      if (const auto flow = TpuFlow(event, producer_type_, producer_)) by_flow_.Add(*flow, event, begin);
      if (const auto id = correlation_(track, event.index)) {
        by_correlation_.Add(id->integer().value_or(0), event, begin);
      } else if (const auto run = run_(track, event.index); run && !trace.FindArg(event, ordinal)) {
        // What has a device_ordinal is the run itself, on a worker's thread; what waits for other devices is
        // part of one. Where the call came before the capture, neither stands for it.
        if (WorkOfName(trace.name(event)) == HostWork::kPeer) continue;
        by_run_.Add(run->integer().value_or(0), event, begin);
      }
    }
  }
  by_correlation_.Finish();
  by_run_.Finish();
  by_flow_.Finish();
  if (unnamed_calls.empty()) return;
  PairRuns(unnamed_calls, FirstRuns(unnamed));
}

std::unordered_map<int64_t, EventRef> Launches::FirstRuns(const std::vector<bool>& unnamed) const {
  const StringId given = trace_.strings().Find("ThreadpoolListener::Record").value_or(StringId());
  const StringId taken = trace_.strings().Find("ThreadpoolListener::StartRegion").value_or(StringId());
  const StringId over = trace_.strings().Find("ThreadpoolListener::StopRegion").value_or(StringId());
  const auto call_around = [&](const Track& track, EventRef event) -> std::optional<EventRef> {
    while (event.index.valid() && !unnamed[track.name(event.index).value])
      event.index = track.parent(event.index);
    return event.index.valid() ? std::optional(event) : std::nullopt;
  };
  const auto task = [&](EventRef event, StringId key) -> std::optional<int64_t> {
    const auto id = key.valid() ? trace_.FindArg(event, key) : std::nullopt;
    return id ? std::optional(static_cast<int64_t>(id->bits)) : std::nullopt;
  };
  const auto for_each = [&](const auto& f) {
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) f(track, EventRef{TrackId(t), EventIndex(i)});
    }
  };

  std::unordered_map<int64_t, EventRef> call_of_task;
  for_each([&](const Track& track, EventRef event) {
    if (!given.valid() || track.name(event.index) != given) return;
    const auto call = call_around(track, event);
    const auto id = task(event, producer_);
    if (call && id) call_of_task.emplace(*id, *call);
  });
  std::unordered_map<int64_t, EventRef> call_of_run;
  std::set<EventRef> done;  // calls that have their run
  TrackId thread;
  std::optional<EventRef> working_for;
  for_each([&](const Track& track, EventRef event) {
    if (event.track != thread) working_for.reset();
    thread = event.track;
    const StringId name = track.name(event.index);
    if (name == over || name == taken) {
      const auto id = name == taken ? task(event, consumer_) : std::nullopt;
      const auto found = id ? call_of_task.find(*id) : call_of_task.end();
      working_for = found == call_of_task.end() ? std::nullopt : std::optional(found->second);
      return;
    }
    const auto run = run_.in(track.args(event.index)) ? run_(track, event.index) : std::nullopt;
    if (!run || !run->integer() || by_run_.Has(*run->integer())) return;
    const auto call = working_for ? working_for : call_around(track, event);
    if (call && !call_of_run.contains(*run->integer()) && done.insert(*call).second)
      call_of_run.emplace(*run->integer(), *call);
  });
  return call_of_run;
}

void Launches::PairRuns(const std::vector<EventRef>& calls,
                        const std::unordered_map<int64_t, EventRef>& known) {
  const auto begin = [&](EventRef call) { return trace_.track(call.track).begin(call.index); };
  std::vector<EventRef> in_order = calls;
  std::ranges::sort(in_order, {}, [&](EventRef call) { return std::pair(begin(call), call); });
  std::map<EventRef, int64_t> place;  // of a call
  for (size_t i = 0; i < in_order.size(); ++i) place[in_order[i]] = static_cast<int64_t>(i);
  for (size_t t = 0; t < trace_.tracks().size(); ++t) {
    const Track& track = trace_.tracks()[t];
    if (track.info().kind != TrackKind::kOps || !track.info().derived) continue;
    std::vector<int64_t> runs;  // in order of their first operation
    std::vector<Ps> run_begin;
    std::unordered_set<int64_t> seen;
    for (size_t i = 0; i < track.size(); ++i) {
      const auto run = run_(track, EventIndex(i));
      if (!run || !run->integer() || by_run_.Has(*run->integer())) continue;
      if (!seen.insert(*run->integer()).second) continue;
      runs.push_back(*run->integer());
      run_begin.push_back(track.begin(EventIndex(i)));
    }
    // How many calls come before the first run's.
    std::map<int64_t, size_t> votes;
    for (size_t i = 0; i < runs.size(); ++i) {
      const auto call = known.find(runs[i]);
      if (call != known.end()) ++votes[place.at(call->second) - static_cast<int64_t>(i)];
    }
    std::optional<int64_t> offset;
    if (!votes.empty()) {
      offset = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; })->first;
    } else if (runs.size() >= in_order.size()) {
      const size_t earlier = runs.size() - in_order.size();
      bool before = true;  // every call its run
      for (size_t i = earlier; i < runs.size(); ++i) before &= begin(in_order[i - earlier]) <= run_begin[i];
      if (before) offset = -static_cast<int64_t>(earlier);
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      const auto call = known.find(runs[i]);
      const int64_t at = static_cast<int64_t>(i) + offset.value_or(-kMaxTime.value());
      if (call != known.end()) {
        by_run_.Add(runs[i], call->second, begin(call->second));
      } else if (at >= 0 && at < std::ssize(in_order)) {
        const EventRef other = in_order[static_cast<size_t>(at)];
        by_run_.Add(runs[i], other, begin(other));
      }
    }
    by_run_.Finish();
  }
}

std::optional<int64_t> Launches::TpuFlow(EventRef event, StringId type, StringId id) const {
  constexpr int64_t kTpuLaunch = 12;
  if (!type.valid()) return std::nullopt;
  const auto found = trace_.FindArg(event, type);
  if (!found || found->integer() != kTpuLaunch) return std::nullopt;
  const auto value = trace_.FindArg(event, id);
  return value ? std::optional(static_cast<int64_t>(value->bits)) : std::nullopt;
}

std::optional<EventRef> Launches::CallOfModule(const Device& device, Ps time) const {
  const TrackId modules = module_track_[device.plane.value];
  if (!modules.valid()) return std::nullopt;
  const Track& track = trace_.track(modules);
  const EventIndex after = track.LowerBound(time + Ps(1));
  if (after.value == 0) return std::nullopt;
  const EventIndex around(after.value - 1);
  if (!track.interval(around).contains(time)) return std::nullopt;
  const EventRef module{modules, around};
  if (const auto flow = TpuFlow(module, consumer_type_, consumer_)) {
    if (const auto call = by_flow_.Find(*flow)) return call;
  }
  const auto run = run_(track, around);
  return run ? by_run_.Find(run->integer().value_or(0)) : std::nullopt;
}

std::optional<EventRef> Launches::Call(const Device& device, TrackId track, EventIndex event) const {
  const Track& on = trace_.track(track);
  if (const auto id = IdOf(on, event)) return (id->correlation ? by_correlation_ : by_run_).Find(id->value);
  return CallOfModule(device, on.begin(event));
}

std::optional<Ps> Launches::Find(const Device& device, TrackId track, EventIndex event) const {
  const auto call = Call(device, track, event);
  return call ? std::optional(trace_.track(call->track).begin(call->index)) : std::nullopt;
}

}  // namespace gait::analyze

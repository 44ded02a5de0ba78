#include "gait/analyze/device/launches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "gait/analyze/vocabulary/compile_stages.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/runtime_events.h"

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
    unnamed[i] = Is(RuntimeCall::kExecuteOnDevice, trace.text(StringId(i)));
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
  FindUnnamed(unnamed_calls, CallsOfRuns(unnamed_calls, unnamed));
}

// Calls f(track, event) for each event of a host thread, thread by thread.
template <typename F>
static void ForEachHostEvent(const Trace& trace, F f) {
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) f(track, EventRef{TrackId(t), EventIndex(i)});
  }
}

// The innermost event around this one, or itself, whose name is one of those.
static std::optional<EventRef> EventAround(const Track& track, EventRef event,
                                           const std::vector<bool>& names) {
  while (event.index.valid() && !names[track.name(event.index).value])
    event.index = track.parent(event.index);
  return event.index.valid() ? std::optional(event) : std::nullopt;
}

// The task of a thread pool that an event gives, or that it takes up.
static std::optional<int64_t> TaskOf(const Trace& trace, EventRef event, StringId key) {
  const auto id = key.valid() ? trace.FindArg(event, key) : std::nullopt;
  return id ? std::optional(static_cast<int64_t>(id->bits)) : std::nullopt;
}

// Follows the calls of each thread of the program through the pool. A call gives the pool a task, which runs
// its program. Calls of the same thread that come before the task is over give none: their programs run
// behind it, one after the other, wherever the one before ended: in the task itself, or in a task that was
// given inside of it. Of several devices each has its own order: there only a task's first run is known.
class Chains {
 public:
  Chains(const Trace& trace, const std::vector<EventRef>& calls, const std::vector<bool>& names,
         bool one_device)
      : trace_(trace), names_(names), one_device_(one_device), current_(trace.tracks().size(), kNone) {
    for (const EventRef call : calls) {
      place_[call] = calls_[call.track].size();
      calls_[call.track].push_back({call});
    }
  }

  void Given(EventRef event, int64_t task) {
    if (const auto call = Around(event)) {
      Call& own = calls_[call->track][place_[*call]];
      own.gave_task = true;
      chain_of_task_[task] = chains_.size();
      chains_.push_back({call->track, place_[*call]});
    } else if (const size_t chain = current_[event.track.value]; chain != kNone) {
      chain_of_task_[task] = chain;
    }
  }
  void Begins(TrackId thread, std::optional<int64_t> task) {
    const auto found = task ? chain_of_task_.find(*task) : chain_of_task_.end();
    current_[thread.value] = found == chain_of_task_.end() ? kNone : found->second;
  }
  void Ends(TrackId thread) { current_[thread.value] = kNone; }

  // The call that asked for a run; `event` is the run's first one.
  std::optional<EventRef> CallOf(EventRef event) {
    if (const auto call = Around(event)) return call;
    const size_t current = current_[event.track.value];
    if (current == kNone) return std::nullopt;
    Chain& chain = chains_[current];
    const std::vector<Call>& calls = calls_[chain.thread];
    if (chain.next >= calls.size() || (chain.begun && !one_device_)) return std::nullopt;
    const Call& call = calls[chain.next];
    const bool later = Begin(call.event) > Begin(event) || (chain.begun && call.gave_task);
    if (later) return std::nullopt;
    chain.begun = true;
    ++chain.next;
    return call.event;
  }

 private:
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();
  struct Call {
    EventRef event;
    bool gave_task = false;
  };
  struct Chain {
    TrackId thread;
    size_t next;  // of the thread's calls
    bool begun = false;
  };

  std::optional<EventRef> Around(EventRef event) const {
    return EventAround(trace_.track(event.track), event, names_);
  }
  Ps Begin(EventRef event) const { return trace_.track(event.track).begin(event.index); }

  const Trace& trace_;
  const std::vector<bool>& names_;
  const bool one_device_;
  std::map<TrackId, std::vector<Call>> calls_;  // by thread, in order
  std::map<EventRef, size_t> place_;            // of a call among those of its thread
  std::vector<Chain> chains_;
  std::unordered_map<int64_t, size_t> chain_of_task_;
  std::vector<size_t> current_;  // by thread
};

CallOfRun Launches::CallsOfRuns(const std::vector<EventRef>& calls, const std::vector<bool>& unnamed) const {
  const auto find = [&](RuntimeCall call) {
    return trace_.strings().Find(NameOf(call)).value_or(StringId());
  };
  const StringId given = find(RuntimeCall::kTaskGiven);
  const StringId taken = find(RuntimeCall::kTaskBegins);
  const StringId over = find(RuntimeCall::kTaskEnds);
  std::vector<EventRef> signs;
  std::unordered_map<int64_t, EventRef> first_of_run;
  const auto begin = [&](EventRef event) { return trace_.track(event.track).begin(event.index); };
  ForEachHostEvent(trace_, [&](const Track& track, EventRef event) {
    const StringId name = track.name(event.index);
    if (name == given || name == taken || name == over) return signs.push_back(event);
    const auto run = run_.in(track.args(event.index)) ? run_(track, event.index) : std::nullopt;
    if (!run || !run->integer() || by_run_.Has(*run->integer())) return;
    const auto [first, added] = first_of_run.try_emplace(*run->integer(), event);
    if (!added && begin(event) < begin(first->second)) first->second = event;
  });
  std::set<uint64_t> devices;
  for (const auto& [run, event] : first_of_run) {
    signs.push_back(event);
    const auto device = trace_.FindArg(event, "device_ordinal");
    devices.insert(device ? device->bits : 0);
  }
  std::ranges::sort(signs, {}, [&](EventRef event) { return std::pair(begin(event), event); });
  Chains chains(trace_, calls, unnamed, devices.size() == 1);
  CallOfRun call_of_run;
  for (const EventRef event : signs) {
    const Track& track = trace_.track(event.track);
    const StringId name = track.name(event.index);
    if (name == given) {
      if (const auto task = TaskOf(trace_, event, producer_)) chains.Given(event, *task);
    } else if (name == taken) {
      chains.Begins(event.track, TaskOf(trace_, event, consumer_));
    } else if (name == over) {
      chains.Ends(event.track);
    } else if (const auto call = chains.CallOf(event)) {
      call_of_run.emplace(*run_(track, event.index)->integer(), *call);
    }
  }
  return call_of_run;
}

void Launches::FindUnnamed(const std::vector<EventRef>& events, const CallOfRun& known) {
  std::vector<UnnamedCall> calls;
  for (const EventRef event : events) {
    const Track& track = trace_.track(event.track);
    EventIndex around = event.index;
    while (around.valid() && !Is(RuntimeCall::kJitted, trace_.text(track.name(around))))
      around = track.parent(around);
    calls.push_back(
        {event, track.interval(event.index),
         around.valid() ? ModuleOfFunction(FunctionInName(trace_.text(track.name(around)))) : std::string()});
  }

  const ArgColumn module(trace_, "hlo_module");
  std::unordered_map<int64_t, UnnamedRun> runs;
  std::unordered_set<int64_t> on_several;  // devices: no call for a single one asked for it
  for (size_t t = 0; t < trace_.tracks().size(); ++t) {
    const Track& track = trace_.tracks()[t];
    if (track.info().kind != TrackKind::kOps || !track.info().derived) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const auto run = run_(track, EventIndex(i));
      if (!run || !run->integer() || by_run_.Has(*run->integer())) continue;
      const auto [at, first] = runs.try_emplace(*run->integer());
      if (!first) {
        if (at->second.device != TrackId(t)) on_several.insert(at->first);
        continue;
      }
      const auto name = module(track, EventIndex(i));
      const bool named = name && name->is_string();
      at->second = {at->first, track.begin(EventIndex(i)), TrackId(t),
                    named ? std::string(trace_.text(name->string())) : std::string()};
    }
  }
  std::vector<UnnamedRun> of_one_device;
  for (auto& [id, run] : runs) {
    if (!on_several.contains(id)) of_one_device.push_back(std::move(run));
  }
  for (const auto& [run, call] : PairRuns(std::move(calls), std::move(of_one_device), known))
    by_run_.Add(run, call, trace_.track(call.track).begin(call.index));
  by_run_.Finish();
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
  const Id id = IdOf(on, event);
  if (id.known()) return (id.kind == Id::Kind::kCorrelation ? by_correlation_ : by_run_).Find(id.value);
  return CallOfModule(device, on.begin(event));
}

std::optional<Ps> Launches::Find(const Device& device, TrackId track, EventIndex event) const {
  const auto call = Call(device, track, event);
  return call ? std::optional(trace_.track(call->track).begin(call->index)) : std::nullopt;
}

}  // namespace gait::analyze

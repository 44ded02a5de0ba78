#include "gait/analyze/steps/program_runs.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "gait/analyze/run/functions.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/trace/arg_column.h"

namespace gait::analyze {
namespace {

// Work is for the last launch of the thread that made its call; where that launches no programs (a pool's),
// for the last one of all.
std::vector<ProgramRun> WithWork(const Trace& trace, const HostWorkItems& work,
                                 std::vector<ProgramRun> launches) {
  std::vector<size_t> all(launches.size());
  std::unordered_map<uint32_t, std::vector<size_t>> of_thread;
  for (size_t i = 0; i < launches.size(); ++i) {
    all[i] = i;
    of_thread[launches[i].thread().value].push_back(i);
  }
  for (const std::vector<WorkItem>& items : work) {
    for (const WorkItem& item : items) {
      if (!item.has_call()) continue;
      const auto own = of_thread.find(item.call.track.value);
      const std::vector<size_t>& asked = own == of_thread.end() ? all : own->second;
      const Ps call = trace.track(item.call.track).begin(item.call.index);
      const auto after =
          std::ranges::upper_bound(asked, call, {}, [&](size_t i) { return launches[i].begin; });
      if (after == asked.begin()) continue;
      Ps& sum = launches[*std::prev(after)].work;
      sum = SaturatedSum(sum, item.time.length());
    }
  }
  return launches;
}

class RunFinder {
 public:
  explicit RunFinder(const Trace& trace)
      : trace_(trace),
        functions_(trace),
        run_(trace, "run_id"),
        program_(trace, "program_id"),
        module_(trace, "hlo_module") {}

  DeviceRuns Find(const Device& device, const std::vector<WorkItem>& work) {
    DeviceRuns found;
    const Track* modules = Modules(device);
    if (modules != nullptr) {
      OfModules(*modules, work, found);
    } else {
      OfRunIds(work, found);
    }
    found.finish.assign(found.runs.size(), -kMaxTime);
    std::vector<std::optional<Ps>> launched(found.runs.size());
    bool all_known = true;
    for (size_t i = 0; i < work.size(); ++i) {
      const uint32_t run = found.of_item[i];
      if (run == kNoRun) continue;
      found.finish[run] = std::max(found.finish[run], work[i].time.end);
      all_known &= work[i].has_call();
      ProgramRun& own = found.runs[run];
      own.work = SaturatedSum(own.work, work[i].time.length());
      if (launched[run] || !work[i].has_call()) continue;
      own.call = work[i].call;
      launched[run] = trace_.track(own.call.track).begin(own.call.index);
    }
    // Times of one kind only: the host's, where all calls are there.
    found.host_known = all_known;
    for (size_t i = 0; i < launched.size() && all_known; ++i) {
      if (launched[i]) found.runs[i].begin = *launched[i];
    }
    return found;
  }

 private:
  // A line of its own, not one that was made from others, which joins runs.
  const Track* Modules(const Device& device) const {
    for (const Track& track : trace_.tracks()) {
      const TrackInfo& info = track.info();
      if (info.plane == device.plane && info.kind == TrackKind::kModules && !info.derived) return &track;
    }
    return nullptr;
  }

  void OfModules(const Track& modules, const std::vector<WorkItem>& work, DeviceRuns& found) {
    for (size_t i = 0; i < modules.size(); ++i) {
      const StringId name = modules.name(EventIndex(i));
      const auto [program, id] = ReadLaunchName(trace_.text(name));
      found.runs.push_back({modules.begin(EventIndex(i)), functions_.Of(program, id), name});
    }
    size_t begun = 0;
    for (const WorkItem& item : work) {
      while (begun < found.runs.size() && found.runs[begun].begin <= item.time.begin) ++begun;
      found.of_item.push_back(begun > 0 ? static_cast<uint32_t>(begun - 1) : kNoRun);
    }
  }

  void OfRunIds(const std::vector<WorkItem>& work, DeviceRuns& found) {
    std::unordered_map<int64_t, uint32_t> of_id;
    for (const WorkItem& item : work) {
      const Track& track = trace_.track(item.event.track);
      const auto id = run_(track, item.event.index);
      const auto module = module_(track, item.event.index);
      if (!id || !id->integer() || !module || !module->is_string()) {
        found.of_item.push_back(kNoRun);
        continue;
      }
      const auto next = static_cast<uint32_t>(found.runs.size());
      const auto [run, added] = of_id.try_emplace(*id->integer(), next);
      found.of_item.push_back(run->second);
      if (!added) continue;
      const auto program = program_(track, item.event.index);
      const auto program_id = program ? std::optional(program->bits) : std::nullopt;
      const StringId name = module->string();
      found.runs.push_back({item.time.begin, functions_.Of(trace_.text(name), program_id), name});
    }
  }

  const Trace& trace_;
  FunctionNumbers functions_;
  ArgColumn run_, program_, module_;
};

}  // namespace

LaunchName ReadLaunchName(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return {name};
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  if (inside.find_first_not_of("0123456789") != std::string_view::npos) return {inside};
  uint64_t id = 0;
  const bool read = std::from_chars(inside.data(), inside.data() + inside.size(), id).ec == std::errc();
  return {name.substr(0, open), read ? std::optional(id) : std::nullopt};
}

std::vector<ProgramRun> HostLaunches(const Trace& trace, const HostWorkItems& work) {
  std::vector<ProgramRun> launches;
  const ArgColumn run(trace, "run_id");
  const ArgColumn device(trace, "device_ordinal");
  std::unordered_map<uint64_t, size_t> of_run;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const ArgSetId set = track.args(event);
      // What names a device is the run itself, or its end, on a worker's thread.
      if (!run.in(set) || device.in(set)) continue;
      const StringId name = track.name(event);
      if (!IsExecuteCall(trace.text(name)) && !Is(RuntimeCall::kExecuteOnTpu, trace.text(name))) continue;
      const auto [found, added] = of_run.try_emplace(run(track, event)->bits, launches.size());
      const ProgramRun launch = {track.begin(event), name.value, name, {TrackId(t), event}};
      if (added) {
        launches.push_back(launch);
      } else if (launch.begin < launches[found->second].begin) {
        launches[found->second] = launch;
      }
    }
  }
  std::ranges::stable_sort(launches, {}, &ProgramRun::begin);
  return WithWork(trace, work, std::move(launches));
}

std::vector<ProgramRun> JittedCalls(const Trace& trace, const HostWorkItems& work) {
  std::vector<bool> jitted(trace.strings().size());
  for (size_t i = 0; i < jitted.size(); ++i) {
    jitted[i] = Is(RuntimeCall::kJitted, trace.text(StringId(i)));
  }
  std::vector<ProgramRun> calls;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    Ps reached = -kMaxTime;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!jitted[track.name(event).value] || track.end(event) <= reached) continue;
      reached = track.end(event);
      calls.push_back({track.begin(event), track.name(event).value, track.name(event), {TrackId(t), event}});
    }
  }
  std::ranges::stable_sort(calls, {}, &ProgramRun::begin);
  return WithWork(trace, work, std::move(calls));
}

std::vector<DeviceRuns> RunsOfDevices(const Trace& trace, const std::vector<Device>& devices,
                                      const HostWorkItems& work) {
  RunFinder finder(trace);
  std::vector<DeviceRuns> all;
  for (size_t d = 0; d < devices.size(); ++d) all.push_back(finder.Find(devices[d], work[d]));
  return all;
}

}  // namespace gait::analyze

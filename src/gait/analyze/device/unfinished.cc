#include "gait/analyze/device/unfinished.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/launches.h"
#include "gait/analyze/vocabulary/compile_stages.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/runtime_events.h"
#include "gait/base/parse_number.h"
#include "gait/trace/arg_column.h"

namespace gait::analyze {
namespace {

constexpr std::string_view kSomeProgram = "a program";

// A call of a program and whether all it launched is done.
struct ProgramCall {
  EventRef event;
  std::string program;
  bool done = false;
};

// Of the innermost event around it that says: a call that names its program, or of a jitted function.
std::string ProgramAround(const Trace& trace, EventRef event) {
  const Track& track = trace.track(event.track);
  for (EventIndex at = event.index; at.valid(); at = track.parent(at)) {
    const std::string_view name = trace.text(track.name(at));
    if (const std::string_view program = ProgramOfExecuteCall(name); !program.empty())
      return std::string(program);
    if (Is(RuntimeCall::kJitted, name)) return ModuleOfFunction(FunctionInName(name));
  }
  return std::string(kSomeProgram);
}

// Programs of this name have something to run.
bool HasWork(const Trace& trace, std::string_view name) {
  bool known = false;
  for (const Program& program : trace.programs()) {
    if (program.name != name) continue;
    known = true;
    for (const Instruction& instruction : program.instructions) {
      const std::string_view opcode = program.text(instruction.opcode);
      if (opcode != "parameter" && opcode != "constant" && opcode != "tuple" &&
          opcode != "get-tuple-element" && opcode != "bitcast")
        return true;
    }
  }
  return !known;
}

// When gait began to wait for all that was launched: what threads launch later is none of the capture's.
Ps EndOfCapture(const Trace& trace) {
  const std::optional<StringId> name = trace.strings().Find(kWaitOfGait);
  Ps end = kMaxTime;
  for (size_t t = 0; name && t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    for (size_t i = 0; i < track.size(); ++i) {
      if (track.name(EventIndex(i)) == *name) end = track.begin(EventIndex(i));
    }
  }
  return end;
}

// Of each thread the calls after the last one that is done.
std::vector<UnfinishedLaunch> LastNotDone(const Trace& trace, const std::vector<ProgramCall>& calls) {
  std::map<TrackId, Ps> done;
  const auto begin = [&](const ProgramCall& call) {
    return trace.track(call.event.track).begin(call.event.index);
  };
  for (const ProgramCall& call : calls) {
    if (!call.done) continue;
    const auto [at, added] = done.try_emplace(call.event.track, begin(call));
    at->second = std::max(at->second, begin(call));
  }
  std::vector<UnfinishedLaunch> found;
  const Ps end = EndOfCapture(trace);
  for (const ProgramCall& call : calls) {
    if (begin(call) >= end) continue;
    const auto last = done.find(call.event.track);
    if (call.done || (last != done.end() && begin(call) < last->second)) continue;
    if (HasWork(trace, call.program)) found.push_back({call.program, begin(call)});
  }
  return found;
}

// JAX 0.10 and later record how a run on a CPU ends.
bool RecordsEnds(const Trace& trace) {
  const auto version = trace.environment().versions.find("jax_version");
  if (version == trace.environment().versions.end()) return false;
  const std::string_view text = version->second;
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const auto major = ParseNumber<int>(text.substr(0, dot));
  const auto minor = ParseNumber<int>(text.substr(dot + 1, text.find('.', dot + 1) - dot - 1));
  return major && minor && std::pair(*major, *minor) >= std::pair(0, 10);
}

class CpuRuns {
 public:
  explicit CpuRuns(const Trace& trace)
      : trace_(trace), run_(trace, "run_id"), ordinal_(trace, "device_ordinal") {}

  std::vector<UnfinishedLaunch> Unfinished() {
    CollectEnds();
    if (completions_.empty() && !RecordsEnds(trace_)) return {};
    std::vector<ProgramCall> calls = Calls();
    if (calls.empty()) return {};
    const std::set<EventRef> done = DoneCalls();
    for (ProgramCall& call : calls) call.done = done.contains(call.event);
    return LastNotDone(trace_, calls);
  }

 private:
  void CollectEnds() {
    const StringId name = trace_.strings().Find(NameOf(RuntimeCall::kRunDone)).value_or(StringId());
    if (!name.valid()) return;
    ForEachHostEvent([&](const Track& track, EventRef event) {
      if (track.name(event.index) != name) return;
      const auto run = run_(track, event.index);
      const auto ordinal = ordinal_(track, event.index);
      if (run && ordinal) completions_.emplace(run->integer().value_or(0), ordinal->integer().value_or(0));
    });
  }

  // Those that name their run, and those for one device, which do not.
  std::vector<ProgramCall> Calls() const {
    std::vector<int8_t> kinds(trace_.strings().size(), -1);  // of names: no call, a call
    std::vector<ProgramCall> calls;
    ForEachHostEvent([&](const Track& track, EventRef event) {
      int8_t& kind = kinds[track.name(event.index).value];
      const std::string_view name = trace_.text(track.name(event.index));
      if (kind < 0)
        kind = Is(RuntimeCall::kExecuteOnDevice, name) || !ProgramOfExecuteCall(name).empty() ? 1 : 0;
      if (kind == 0) return;
      const bool named = !Is(RuntimeCall::kExecuteOnDevice, name);
      if (named && !run_.in(track.args(event.index))) return;
      calls.push_back({event, ProgramAround(trace_, event)});
    });
    return calls;
  }

  // Calls whose run is complete on all devices that ran it.
  std::set<EventRef> DoneCalls() const {
    struct Run {
      std::optional<EventRef> call{};
      size_t devices = 0;
      size_t complete = 0;
    };
    const Launches launches(trace_);
    std::unordered_map<int64_t, Run> runs;
    for (const Device& device : FindDevices(trace_)) {
      const int64_t ordinal = trace_.plane(device.plane).ordinal.value_or(0);
      std::unordered_set<int64_t> seen;
      for (const TrackId id : device.work) {
        const Track& track = trace_.track(id);
        for (size_t i = 0; i < track.size(); ++i) {
          const auto run = run_(track, EventIndex(i));
          if (!run || !run->integer() || !seen.insert(*run->integer()).second) continue;
          Run& found = runs[*run->integer()];
          if (!found.call) found.call = launches.Call(device, id, EventIndex(i));
          ++found.devices;
          found.complete += completions_.contains({*run->integer(), ordinal}) ? 1 : 0;
        }
      }
    }
    std::set<EventRef> done;
    for (const auto& [id, run] : runs) {
      if (run.call && run.complete == run.devices) done.insert(*run.call);
    }
    return done;
  }

  template <typename F>
  void ForEachHostEvent(F f) const {
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) f(track, EventRef{TrackId(t), EventIndex(i)});
    }
  }

  const Trace& trace_;
  ArgColumn run_;
  ArgColumn ordinal_;
  std::set<std::pair<int64_t, int64_t>> completions_;  // run and device
};

// A host event with a correlation id that launches a kernel or a graph. The runtime gives it the name of the
// kernel or of the driver's function.
bool LaunchesKernel(std::string_view name) {
  if (IsDriverCall(name)) return IsDriverLaunch(name);
  return !name.starts_with("Mem") && KindOfName(name) != HostKind::kProfiler;
}

std::vector<UnfinishedLaunch> UnfinishedOnGpus(const Trace& trace) {
  const ArgColumn correlation(trace, "correlation_id");
  std::vector<int64_t> worked;
  for (const Track& track : trace.tracks()) {
    if (track.info().kind != TrackKind::kStream) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      if (const auto id = correlation(track, EventIndex(i))) worked.push_back(id->integer().value_or(0));
    }
  }
  std::ranges::sort(worked);
  std::vector<int8_t> kinds(trace.strings().size(), -1);
  std::vector<ProgramCall> calls;
  std::map<EventRef, size_t> known;  // calls, by the event that stands for them
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const auto id = correlation(track, event);
      if (!id) continue;
      int8_t& kind = kinds[track.name(event).value];
      if (kind < 0) kind = LaunchesKernel(trace.text(track.name(event))) ? 1 : 0;
      if (kind == 0) continue;
      const bool done = std::ranges::binary_search(worked, id->integer().value_or(0));
      // One call of a program makes many launches: it is done when all are.
      EventIndex call = event;
      for (EventIndex at = event; at.valid(); at = track.parent(at)) {
        if (!ProgramOfExecuteCall(trace.text(track.name(at))).empty()) call = at;
      }
      const EventRef of{TrackId(t), call};
      const auto [entry, added] = known.try_emplace(of, calls.size());
      if (added) calls.push_back({of, done ? std::string() : ProgramAround(trace, of), done});
      ProgramCall& found = calls[entry->second];
      if (!done && found.done) found = {of, ProgramAround(trace, of), false};
    }
  }
  return LastNotDone(trace, calls);
}

}  // namespace

std::vector<UnfinishedLaunch> FindUnfinishedLaunches(const Trace& trace) {
  bool gpu = false;
  bool other = false;
  for (const Plane& plane : trace.planes()) {
    gpu |= plane.kind == PlaneKind::kGpu;
    other |= plane.is_device() && plane.kind != PlaneKind::kGpu && plane.kind != PlaneKind::kCpuDevice;
  }
  if (other) return {};
  std::vector<UnfinishedLaunch> found = gpu ? UnfinishedOnGpus(trace) : std::vector<UnfinishedLaunch>();
  const bool gpu_worked = gpu && std::ranges::any_of(trace.tracks(), [](const Track& track) {
                            return track.info().kind == TrackKind::kStream && track.size() > 0;
                          });
  if (!gpu_worked && found.empty()) found = CpuRuns(trace).Unfinished();
  return found;
}

std::map<std::string, uint64_t> FindUnfinished(const Trace& trace) {
  std::map<std::string, uint64_t> found;
  for (const UnfinishedLaunch& launch : FindUnfinishedLaunches(trace)) ++found[launch.program];
  return found;
}

void AddUnfinishedLosses(LoadedRun& run) {
  std::map<std::string, uint64_t> left = run.manifest.launches_without_end;
  for (const LoadedHost& host : run.hosts) {
    for (const auto& [program, count] : FindUnfinished(host.trace)) {
      const bool several = run.hosts.size() > 1;
      uint64_t all = count;
      if (const auto told = left.find(program); told != left.end()) {
        if (!several) all = std::max(all, told->second);
        left.erase(told);
      }
      run.losses.push_back({LossKind::kUnfinished, program,
                            several ? fmt::format("no end in the capture of {}", host.name) : "no end", all});
    }
  }
  for (const auto& [program, count] : left)
    run.losses.push_back({LossKind::kUnfinished, program, "no end", count});
}

}  // namespace gait::analyze

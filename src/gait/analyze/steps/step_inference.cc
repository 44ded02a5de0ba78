#include "gait/analyze/steps/step_inference.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gait/analyze/steps/loop_reader.h"
#include "gait/analyze/steps/program_runs.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

// Which launches are the loop's: of the threads with three at least, those of the one for which devices
// worked longest (where that is not known, which made most of them), and of the threads that launch its
// longest program too (a pool's).
std::vector<bool> OfLoopThreads(const std::vector<ProgramRun>& launches) {
  constexpr size_t kFewest = 3;
  struct Sum {
    bool may_repeat = false;
    Ps work{};
    size_t count = 0;
    auto operator<=>(const Sum&) const = default;
  };
  const auto most = [](const auto& sums) {
    return std::ranges::max_element(sums, {}, [](const auto& s) { return s.second; })->first;
  };
  const auto add = [](Sum& sum, const ProgramRun& launch) {
    sum = {sum.count + 1 >= kFewest, SaturatedSum(sum.work, launch.work), sum.count + 1};
  };
  std::map<TrackId, Sum> of_thread;
  for (const ProgramRun& launch : launches) add(of_thread[launch.thread()], launch);
  if (of_thread.size() <= 1) return std::vector<bool>(launches.size(), true);
  const TrackId thread = most(of_thread);
  std::map<uint64_t, Sum> of_program;
  for (const ProgramRun& launch : launches) {
    if (launch.thread() == thread) add(of_program[launch.program], launch);
  }
  const uint64_t program = most(of_program);
  std::set<TrackId> pool;
  for (const ProgramRun& launch : launches) {
    if (launch.program == program) pool.insert(launch.thread());
  }
  std::vector<bool> own;
  for (const ProgramRun& launch : launches) own.push_back(pool.contains(launch.thread()));
  return own;
}

// When the host turned to a launch: where the outermost call of a jitted function around it begins, which may
// have compiled it first, unless that made the launch before it too.
Ps BeginOnHost(const Trace& trace, const std::vector<ProgramRun>& launches, size_t i) {
  const EventRef call = launches[i].call;
  Ps begin = launches[i].begin;
  if (!call.track.valid()) return begin;
  const Track& thread = trace.track(call.track);
  for (EventIndex e = call.index; e.valid(); e = thread.parent(e)) {
    if (Is(RuntimeCall::kJitted, trace.text(thread.name(e)))) begin = thread.begin(e);
  }
  return i > 0 && begin <= launches[i - 1].begin ? launches[i].begin : begin;
}

std::optional<InferredSteps> FromLaunches(const Trace& trace, const std::vector<ProgramRun>& all,
                                          bool host_known) {
  std::vector<ProgramRun> launches;
  std::set<TrackId> others;
  const std::vector<bool> own = OfLoopThreads(all);
  for (size_t i = 0; i < all.size(); ++i) {
    if (own[i]) launches.push_back(all[i]);
    if (!own[i]) others.insert(all[i].thread());
  }
  const LoopReader reader(trace, launches);
  if (!reader.chosen()) return std::nullopt;
  const Reading& loop = *reader.chosen();
  const std::vector<size_t>& begins = loop.begins;
  InferredSteps steps{reader.NameOf(begins[0]), loop.period, reader.Note()};
  steps.host_known = host_known;
  const TrackId first = launches[0].thread();
  if (std::ranges::all_of(launches, [&](const ProgramRun& l) { return l.thread() == first; })) {
    steps.thread = first;
  }
  const auto begin_of = [&](size_t i) {
    if (i == launches.size()) return trace.span().end;
    return host_known ? BeginOnHost(trace, launches, i) : launches[i].begin;
  };
  Ps reached = -kMaxTime;
  for (size_t s = 0; s + 1 < begins.size(); ++s) {
    const Ps begin = std::max(reached, begin_of(begins[s]));
    reached = std::max(begin, begin_of(begins[s + 1]));
    const bool cut = loop.cut && s + 2 == begins.size();
    steps.marks.push_back({static_cast<int64_t>(s), {begin, reached}, TrackId(), cut});
  }
  if (begins.back() < launches.size()) steps.others.push_back({0, {reached, reached}});
  // A thread that launches programs of its own works for none of these steps.
  for (const TrackId thread : others) steps.others.push_back({0, {-kMaxTime, -kMaxTime}, thread});
  return steps;
}

// By run of a device: its step, and when each step finished.
struct StepsOfDevice {
  std::vector<uint32_t> of_run{};
  std::vector<Ps> finish{};
};
StepsOfDevice StepsOf(const Trace& trace, const DeviceRuns& device, size_t period) {
  StepsOfDevice steps{std::vector<uint32_t>(device.runs.size(), InferredSteps::kNoStep)};
  std::vector<ProgramRun> runs;
  std::vector<size_t> position;
  const std::vector<bool> own = OfLoopThreads(device.runs);
  for (size_t i = 0; i < own.size(); ++i) {
    if (!own[i]) continue;
    runs.push_back(device.runs[i]);
    position.push_back(i);
  }
  const LoopReader reader(trace, runs);
  if (!reader.chosen() || reader.chosen()->period != period) return steps;
  const std::vector<size_t>& begins = reader.chosen()->begins;
  for (size_t s = 0; s + 1 < begins.size(); ++s) {
    steps.finish.push_back(-kMaxTime);
    for (size_t i = begins[s]; i < begins[s + 1]; ++i) {
      steps.of_run[position[i]] = static_cast<uint32_t>(s);
      steps.finish[s] = std::max(steps.finish[s], device.finish[position[i]]);
    }
  }
  for (size_t i = begins.back(); i < runs.size(); ++i) steps.of_run[position[i]] = InferredSteps::kAfterSteps;
  return steps;
}

// Each device has its own count of runs, and may have run what others have not: its first step is the one of
// the leading device that finished next to it, the others follow.
std::optional<InferredSteps> FromDevices(const Trace& trace, const std::vector<Device>& devices,
                                         const HostWorkItems& work) {
  const std::vector<DeviceRuns> all = RunsOfDevices(trace, devices, work);
  const auto leading = std::ranges::max_element(all, {}, [](const DeviceRuns& r) { return r.runs.size(); });
  if (leading == all.end()) return std::nullopt;
  std::optional<InferredSteps> steps = FromLaunches(trace, leading->runs, leading->host_known);
  if (!steps) return std::nullopt;
  const std::vector<Ps> finish = StepsOf(trace, *leading, steps->launches).finish;
  for (const DeviceRuns& device : all) {
    const StepsOfDevice own = StepsOf(trace, device, steps->launches);
    const auto next_to = std::ranges::min_element(finish, {}, [&](Ps f) {
      return own.finish.empty() ? Ps() : std::max(f - own.finish[0], own.finish[0] - f);
    });
    const auto first = static_cast<uint32_t>(next_to - finish.begin());
    std::vector<uint32_t>& owner = steps->owner.emplace_back();
    for (const uint32_t run : device.of_item) {
      const uint32_t step = run == kNoRun ? InferredSteps::kNoStep : own.of_run[run];
      const bool in_loop = step < finish.size() - first;
      owner.push_back(in_loop                              ? step + first
                      : step == InferredSteps::kAfterSteps ? step
                                                           : InferredSteps::kNoStep);
    }
  }
  return steps;
}

}  // namespace

std::vector<std::vector<WorkOwner>> OwnersOfRuns(const InferredSteps& steps) {
  const uint32_t last = static_cast<uint32_t>(steps.marks.size()) - 1;
  std::vector<std::vector<WorkOwner>> all;
  for (const std::vector<uint32_t>& of_device : steps.owner) {
    std::vector<WorkOwner>& owners = all.emplace_back(of_device.size());
    bool begun = false;
    for (size_t i = 0; i < owners.size(); ++i) {
      const bool in_step = of_device[i] <= last;
      begun |= in_step && of_device[i] == 0;
      // What follows the loop does not end where the first step begins.
      if (in_step) owners[i] = {of_device[i], WorkOwner::Kind::kStep};
      if (!in_step && !begun) owners[i].kind = WorkOwner::Kind::kBefore;
      if (of_device[i] == InferredSteps::kAfterSteps) owners[i] = {last, WorkOwner::Kind::kOutside};
    }
  }
  return all;
}

std::optional<InferredSteps> InferSteps(const Trace& trace, const std::vector<Device>& devices,
                                        const HostWorkItems& work) {
  if (auto steps = FromLaunches(trace, HostLaunches(trace, work), true)) return steps;
  if (auto steps = FromDevices(trace, devices, work)) return steps;
  auto steps = FromLaunches(trace, JittedCalls(trace, work), true);
  if (steps) steps->by_calls = true;
  return steps;
}

}  // namespace gait::analyze

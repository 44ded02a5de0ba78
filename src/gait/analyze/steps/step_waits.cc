#include "gait/analyze/steps/step_waits.h"

#include <algorithm>
#include <map>
#include <optional>

#include "gait/analyze/device/launches.h"
#include "gait/analyze/host/thread_quiet.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

using Steps = std::vector<Step>;

bool AreMost(size_t count, const Steps& steps) { return 2 * count > steps.size(); }
size_t Count(const std::vector<bool>& flags) { return static_cast<size_t>(std::ranges::count(flags, true)); }

// Waiting for a place in the queue is no waiting for a result.
bool WaitsForResult(std::string_view name) {
  return WorkOfName(name) == HostWork::kSync && !Is(RuntimeCall::kQueuePlace, name);
}

// Whether calls of a name wait for a result; each name is looked at once.
class WaitNames {
 public:
  explicit WaitNames(const Trace& trace) : trace_(trace), waits_(trace.strings().size()) {}

  bool Has(StringId name) {
    std::optional<bool>& known = waits_[name.value];
    if (!known) known = WaitsForResult(trace_.text(name));
    return *known;
  }

 private:
  const Trace& trace_;
  std::vector<std::optional<bool>> waits_;
};

// When all devices were done with a step; -kMaxTime: none had a part in it.
Ps Finish(const Step& step) {
  Ps finish = -kMaxTime;
  for (const Interval time : step.time) {
    if (!time.empty()) finish = std::max(finish, time.end);
  }
  return finish;
}

// By step: whether it finished before the host went on.
std::vector<bool> FinishedInside(const Steps& steps) {
  std::vector<bool> inside;
  for (const Step& step : steps) inside.push_back(step.has_work() && Finish(step) <= step.host.end);
  return inside;
}

// By step: whether the host made a call in it that waits for a result of the device.
std::vector<bool> WaitingCalls(const Trace& trace, const Steps& steps) {
  std::vector<bool> waiting(steps.size());
  WaitNames waits(trace);
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      if (!waits.Has(track.name(EventIndex(i)))) continue;
      const Interval call = track.interval(EventIndex(i));
      auto step = std::ranges::upper_bound(steps, call.begin, {}, [](const Step& s) { return s.host.begin; });
      if (step != steps.begin()) --step;
      for (; step != steps.end() && step->host.begin < call.end; ++step) {
        // Another thread's calls do not hold up a loop.
        const bool own = !step->thread.valid() || step->thread == TrackId(t);
        if (own && call.overlaps(step->host)) waiting[static_cast<size_t>(step - steps.begin())] = true;
      }
    }
  }
  return waiting;
}

// Whether the host did nothing that is recorded while the devices worked on the step, and something soon
// after they were done.
bool Woke(const Trace& trace, TrackId on, const Step& step, Ps launched) {
  if (!on.valid()) return false;
  const Track& thread = trace.track(on);
  const Ps finish = Finish(step);
  const Interval still = QuietAt(thread, finish, [&](EventIndex e) { return thread.end(e); }).time;
  return WokeFor(finish, std::max({still.begin, step.host.begin, launched}), still.end);
}

// Steps that outlast their annotations, and the threads that may wait for them behind these.
struct OutlastingSteps {
  std::map<TrackId, std::vector<size_t>> of_thread{};  // all steps, in order
  std::vector<Ps> next{};    // by step: when its thread begins the next one, or launches first for it
  std::vector<Ps> finish{};  // by step; kMaxTime: it does not outlast its annotation, or outlasts `next` too

  bool any() const {
    for (size_t s = 0; s < finish.size(); ++s) {
      if (finish[s] < kMaxTime && next[s] < kMaxTime) return true;
    }
    return false;
  }
};

OutlastingSteps FindOutlasting(const Steps& steps, const StepLaunches& launches) {
  OutlastingSteps found{{}, launches.next, std::vector<Ps>(steps.size(), kMaxTime)};
  for (size_t s = 0; s < steps.size(); ++s) {
    if (!steps[s].thread.valid()) continue;
    std::vector<size_t>& own = found.of_thread[steps[s].thread];
    const Ps first = launches.first[s] < kMaxTime ? launches.first[s] : steps[s].host.end;
    if (!own.empty()) found.next[own.back()] = std::max(found.next[own.back()], first);
    own.push_back(s);
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    const Ps finish = Finish(steps[s]);
    if (steps[s].has_work() && finish > steps[s].host.end && finish <= found.next[s])
      found.finish[s] = finish;
  }
  return found;
}

// Marks the steps of a thread for whose result one of its calls waited.
void AddAwaited(const Track& track, const Steps& steps, const std::vector<size_t>& own,
                const OutlastingSteps& outlasting, WaitNames& waits, std::vector<bool>& awaited) {
  size_t at = 0;  // the step that the thread is in or after
  for (size_t i = 0; i < track.size(); ++i) {
    if (!waits.Has(track.name(EventIndex(i)))) continue;
    const Interval call = track.interval(EventIndex(i));
    while (at + 1 < own.size() && steps[own[at + 1]].host.begin <= call.begin) ++at;
    for (size_t n = at > 0 ? at - 1 : at; n <= at; ++n) {
      const size_t s = own[n];
      if (outlasting.finish[s] <= call.end && call.end <= outlasting.next[s] &&
          call.begin >= steps[s].host.begin)
        awaited[s] = true;
    }
  }
}

// By step: whether it outlasted its annotation, and its thread waited for its result before it launched
// anything for the next one.
std::vector<bool> WaitsAfterAnnotation(const Trace& trace, const Steps& steps, const StepLaunches& launches) {
  std::vector<bool> waited(steps.size());
  const OutlastingSteps outlasting = FindOutlasting(steps, launches);
  if (!outlasting.any()) return waited;
  WaitNames waits(trace);
  for (const auto& [thread, own] : outlasting.of_thread)
    AddAwaited(trace.track(thread), steps, own, outlasting, waits, waited);
  // Every loop waits at its end.
  for (size_t s = 0; s < steps.size(); ++s) {
    if (waited[s] && launches.next[s] < kMaxTime) return waited;
  }
  return std::vector<bool>(steps.size());
}

// Whether a step was done when the last of it had been launched. A slow host may be behind the device without
// ever waiting for it: between steps, or in one that ended with its last launch.
bool EndedWithLaunch(const Step& step, Ps last_launch) {
  return Finish(step) - kMostLaunchDelay <= last_launch;
}

}  // namespace

StepLaunches LaunchesOf(const std::vector<DeviceStepWork>& work, std::vector<Ps> next) {
  StepLaunches launches{std::move(next), {}, {}};
  launches.first.assign(launches.next.size(), kMaxTime);
  launches.last.assign(launches.next.size(), -kMaxTime);
  for (const DeviceStepWork& device : work) {
    launches.inside_calls |= device.inside_calls;
    for (size_t s = 0; s < launches.next.size(); ++s) {
      launches.first[s] = std::min(launches.first[s], device.steps[s].first_launch);
      launches.last[s] = std::max(launches.last[s], device.steps[s].last_launch);
    }
  }
  return launches;
}

StepWaits FindWaits(const Trace& trace, const Steps& steps, const StepLaunches& launches, TrackId thread) {
  const std::vector<bool> inside = FinishedInside(steps);
  const std::vector<bool> after = WaitsAfterAnnotation(trace, steps, launches);
  const size_t finished = Count(inside);
  size_t waited = Count(after);
  StepWaits found{after};
  if (finished + waited == 0) return found;
  size_t ended_with_launch = 0;
  for (size_t s = 0; s < steps.size(); ++s)
    ended_with_launch += inside[s] && EndedWithLaunch(steps[s], launches.last[s]) ? 1 : 0;
  const bool host_bound = AreMost(ended_with_launch, steps);
  std::vector<bool> waiting = WaitingCalls(trace, steps);
  for (size_t s = 0; s < steps.size() && !host_bound; ++s) {
    const TrackId on = steps[s].thread.valid() ? steps[s].thread : thread;
    waiting[s] = waiting[s] || (inside[s] && Woke(trace, on, steps[s], launches.last[s]));
  }
  for (size_t s = 0; s < steps.size(); ++s) waited += inside[s] && waiting[s] ? 1 : 0;
  found.waits = AreMost(waited, steps);
  if (host_bound) {
    found.loop = launches.inside_calls ? Loop::kInline : Loop::kHostBound;
  } else if (!found.waits && AreMost(finished, steps)) {
    found.loop = Loop::kHostLate;
  }
  // In a loop that waits, a result that was there already needed no call that shows.
  for (size_t s = 0; s < steps.size(); ++s)
    found.waited[s] = after[s] || (inside[s] && (waiting[s] || found.waits));
  return found;
}

}  // namespace gait::analyze

#include "gait/analyze/steps/step_waits.h"

#include <algorithm>
#include <map>
#include <optional>

#include "gait/analyze/device/launches.h"
#include "gait/analyze/host/thread_quiet.h"
#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {
namespace {

// Waiting for a place in the queue is no waiting for a result.
bool WaitsForResult(std::string_view name) {
  return WorkOfName(name) == HostWork::kSync && !name.starts_with("ComputeSemaphoreAcquire");
}

class WaitJudge {
 public:
  WaitJudge(const Trace& trace, const StepLaunches& launches) : trace_(trace), launches_(launches) {}

  // In which steps the host had the result before it went on.
  void Judge(StepSeries& series) const {
    std::vector<bool> inside(series.steps.size());  // finished before the host went on
    for (size_t s = 0; s < series.steps.size(); ++s) {
      const Step& step = series.steps[s];
      inside[s] = series.host_known && step.has_work();
      for (const Interval time : step.time)
        inside[s] = inside[s] && (time.empty() || time.end <= step.host.end);
    }
    const auto finished = static_cast<size_t>(std::ranges::count(inside, true));
    const std::vector<bool> after = WaitsAfterAnnotation(series);
    const auto waited_after = static_cast<size_t>(std::ranges::count(after, true));
    if (finished + waited_after == 0) return;
    // A slow host may be behind the device without ever waiting for it: between steps, or in one that ended
    // with its last launch.
    size_t ended_with_launch = 0;
    for (size_t s = 0; s < series.steps.size(); ++s) {
      const Step& step = series.steps[s];
      ended_with_launch += inside[s] && std::ranges::all_of(step.time, [&](Interval time) {
                             return time.empty() || time.end - kMostLaunchDelay <= launches_.last[s];
                           });
    }
    series.host_bound = 2 * ended_with_launch > series.steps.size();
    series.runs_inline = series.host_bound && launches_.inside_calls;
    std::vector<bool> waiting = WaitingCalls(series.steps);
    for (size_t s = 0; s < series.steps.size() && !series.host_bound; ++s) {
      const TrackId thread = series.inferred ? series.thread : series.steps[s].thread;
      waiting[s] = waiting[s] || (inside[s] && Woke(thread, series.steps[s], launches_.last[s]));
    }
    size_t waited = waited_after;
    for (size_t s = 0; s < series.steps.size(); ++s) waited += inside[s] && waiting[s] ? 1 : 0;
    series.waits = 2 * waited > series.steps.size();
    series.host_late = !series.waits && !series.host_bound && 2 * finished > series.steps.size();
    // In a loop that waits, a result that was there already needed no call that shows.
    for (size_t s = 0; s < series.steps.size(); ++s) {
      series.steps[s].waited = after[s] || (inside[s] && (waiting[s] || series.waits));
    }
  }

 private:
  // Whether calls of a name wait for a result; each name is looked at once.
  auto WaitsByName() const {
    return [this, waits = std::vector<std::optional<bool>>(trace_.strings().size())](StringId name) mutable {
      std::optional<bool>& known = waits[name.value];
      if (!known) known = WaitsForResult(trace_.text(name));
      return *known;
    };
  }

  // By step: whether the host made a call in it that waits for a result of the device.
  std::vector<bool> WaitingCalls(const std::vector<Step>& steps) const {
    std::vector<bool> waiting(steps.size());
    auto waits = WaitsByName();
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        if (!waits(track.name(EventIndex(i)))) continue;
        const Interval call = track.interval(EventIndex(i));
        auto step =
            std::ranges::upper_bound(steps, call.begin, {}, [](const Step& s) { return s.host.begin; });
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

  // By step: whether it outlasted its annotation, and its thread waited for its result before it launched
  // anything for the next one.
  std::vector<bool> WaitsAfterAnnotation(const StepSeries& series) const {
    const std::vector<Step>& steps = series.steps;
    std::vector<Ps> finish(steps.size(), kMaxTime);
    std::map<TrackId, std::vector<size_t>> of_thread;
    std::vector<Ps> next = launches_.next;  // when its thread begins the next step, or launches first for it
    bool any = false;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (!steps[s].thread.valid()) continue;
      std::vector<size_t>& own = of_thread[steps[s].thread];
      const Ps first = launches_.first[s] < kMaxTime ? launches_.first[s] : steps[s].host.end;
      if (!own.empty()) next[own.back()] = std::max(next[own.back()], first);
      own.push_back(s);
    }
    for (size_t s = 0; s < steps.size(); ++s) {
      const Ps end = Whole(steps[s]).end;
      const bool outlasted = series.host_known && steps[s].has_work() && end > steps[s].host.end;
      if (outlasted && end <= next[s]) finish[s] = end;
      any |= finish[s] < kMaxTime && next[s] < kMaxTime;
    }
    std::vector<bool> waited(steps.size());
    if (!any) return waited;
    auto waits = WaitsByName();
    for (const auto& [thread, own] : of_thread) {
      const Track& track = trace_.track(thread);
      size_t at = 0;  // the step that the thread is in or after
      for (size_t i = 0; i < track.size(); ++i) {
        if (!waits(track.name(EventIndex(i)))) continue;
        const Interval call = track.interval(EventIndex(i));
        while (at + 1 < own.size() && steps[own[at + 1]].host.begin <= call.begin) ++at;
        for (size_t n = at > 0 ? at - 1 : at; n <= at; ++n) {
          const size_t s = own[n];
          if (finish[s] <= call.end && call.end <= next[s] && call.begin >= steps[s].host.begin)
            waited[s] = true;
        }
      }
    }
    // Every loop waits at its end.
    size_t in_loop = 0;
    for (size_t s = 0; s < steps.size(); ++s) in_loop += waited[s] && launches_.next[s] < kMaxTime;
    for (size_t s = 0; s < steps.size(); ++s) waited[s] = waited[s] && in_loop > 0;
    return waited;
  }

  // Whether the host did nothing that is recorded while the devices worked on the step, and something soon
  // after they were done.
  bool Woke(TrackId on, const Step& step, Ps launched) const {
    if (!on.valid()) return false;
    const Track& thread = trace_.track(on);
    Ps finish = -kMaxTime;
    for (const Interval time : step.time) {
      if (!time.empty()) finish = std::max(finish, time.end);
    }
    const Interval still = QuietAt(thread, finish, [&](EventIndex e) { return thread.end(e); }).time;
    return WokeFor(finish, std::max({still.begin, step.host.begin, launched}), still.end);
  }

  // The annotation and the time on every device.
  static Interval Whole(const Step& step) {
    Interval whole = step.host;
    for (const Interval time : step.time) {
      if (time.empty()) continue;
      whole.begin = std::min(whole.begin, time.begin);
      whole.end = std::max(whole.end, time.end);
    }
    return whole;
  }

  const Trace& trace_;
  const StepLaunches& launches_;
};

}  // namespace

void JudgeWaits(const Trace& trace, const StepLaunches& launches, StepSeries& series) {
  WaitJudge(trace, launches).Judge(series);
}

}  // namespace gait::analyze

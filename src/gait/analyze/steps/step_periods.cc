#include "gait/analyze/steps/step_periods.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gait::analyze {
namespace {

using Marks = std::vector<StepMark>;
using Work = std::vector<DeviceStepWork>;

// The time after a step that is no step's, in a loop that reached `from`.
Interval ExcludedAfter(const WorkAfterStep& after, Ps from, bool between_steps) {
  if (!between_steps || !after.outside_first) return {from, after.done};
  // Whatever the host did before it launched what held up the loop: until then it is the step's.
  return {std::clamp(after.outside_after_pause.value_or(after.begun), from, after.done), after.done};
}

// The end of work that was launched before the loop, which is where the first step begins: not before the
// host asked for it, unless steps of other kinds were around it.
std::optional<Ps> ReachedBefore(const DeviceStepWork& work, const StepMark& first, bool around) {
  if (!work.before_done || around) return work.before_done;
  return std::max(*work.before_done, std::min(first.host.begin, work.steps.front().done));
}

DevicePeriods OwnPeriods(const Marks& marks, const OtherKinds& kinds, const DeviceStepWork& work) {
  DevicePeriods periods{std::vector<Interval>(marks.size()), std::vector<bool>(marks.size()),
                        std::vector<Interval>(marks.size(), {-kMaxTime, -kMaxTime})};
  const bool works = work.works();
  std::optional<Ps> reached;
  for (size_t s = 0; s < marks.size(); ++s) {
    const WorkOfStep& step = work.steps[s];
    if (s > 0 && work.steps[s - 1].after.done > -kMaxTime) {
      const WorkAfterStep& after = work.steps[s - 1].after;
      if (reached && after.done > *reached && after.outside) {
        const bool between_steps = work.steps[s - 1].events > 0 && step.events > 0;
        const Interval excluded = ExcludedAfter(after, *reached, between_steps);
        if (between_steps) periods.excluded[s - 1] = excluded;
        if (works) periods.excluded_time += excluded.length();
      }
      reached = std::max(reached.value_or(after.done), after.done);
    }
    if (step.events == 0) continue;
    if (!reached && s == 0) reached = ReachedBefore(work, marks[s], kinds.around);
    periods.begin_unknown[s] = !reached;
    const Ps begin = reached.value_or(std::min(marks[s].host.begin, step.done));
    periods.time[s] = {begin, std::max(begin, step.done)};
    reached = periods.time[s].end;
  }
  return periods;
}

// By step: when the devices that worked for it were done; -kMaxTime: none did.
std::vector<Ps> DoneOnAll(size_t steps, const Work& work, const StepPeriods& periods) {
  std::vector<Ps> done(steps, -kMaxTime);
  for (size_t d = 0; d < work.size(); ++d) {
    for (size_t s = 0; s < done.size(); ++s) {
      if (work[d].steps[s].events > 0) done[s] = std::max(done[s], periods[d].time[s].end);
    }
  }
  return done;
}

// The steps of a thread in which the device has nothing to do, between two that it works for. `done` is by
// step.
DevicePeriods WithIdleSteps(const Marks& marks, const DeviceStepWork& work, const std::vector<Ps>& done,
                            DevicePeriods periods) {
  std::optional<size_t> last;  // that it worked for
  for (size_t next = 0; next < marks.size(); ++next) {
    if (work.steps[next].events == 0) continue;
    const std::optional<size_t> before = std::exchange(last, next);
    if (!before || marks[*before].thread != marks[next].thread) continue;
    Ps reached = periods.time[*before].end;
    for (size_t s = *before + 1; s < next; ++s) {
      const Ps until = std::min(done[s], work.steps[next].begun);
      if (marks[s].thread != marks[next].thread || until <= reached) continue;
      periods.time[s] = {reached, until};
      reached = until;
    }
    periods.time[next].begin = std::max(periods.time[next].begin, reached);
  }
  return periods;
}

// By step: work of none that devices did which have nothing to do with the steps, done before the host began
// the next one; of several devices the last one's.
std::vector<Interval> WorkAside(const Work& work, const std::vector<Ps>& next) {
  std::vector<Interval> aside(next.size());
  for (const DeviceStepWork& device : work) {
    if (device.works()) continue;
    for (size_t s = 0; s + 1 < next.size(); ++s) {
      const WorkAfterStep& after = device.steps[s].after;
      if (after.outside && after.done > -kMaxTime && after.done <= next[s])
        aside[s] = {after.begun, after.done};
    }
  }
  return aside;
}

// What held up the loop after a step, on the device where it began first; nullopt: nothing did.
std::optional<Interval> FirstExcluded(const StepPeriods& periods, Interval aside, size_t step) {
  std::optional<Interval> first;
  if (!aside.empty()) first = aside;
  for (const DevicePeriods& device : periods) {
    const Interval excluded = device.excluded[step];
    if (!excluded.empty() && (!first || excluded.begin < first->begin)) first = excluded;
  }
  return first;
}

// The loop stood still for all devices while one of them worked outside of it: what is excluded there is no
// step's on the others either, and what held up the loop before that is the same step's on all.
StepPeriods WithCommonExclusions(const Marks& marks, const Work& work, const std::vector<Interval>& aside,
                                 StepPeriods periods) {
  for (size_t s = 0; s + 1 < marks.size(); ++s) {
    if (marks[s].thread != marks[s + 1].thread) continue;
    const std::optional<Interval> first = FirstExcluded(periods, aside[s], s);
    for (size_t d = 0; first && d < work.size(); ++d) {
      Interval& excluded = periods[d].excluded[s];
      const Ps done = periods[d].time[s].end;
      const Ps begun = work[d].steps[s + 1].begun;
      if (work[d].steps[s].events == 0 || work[d].steps[s + 1].events == 0 || begun <= done) continue;
      const Ps end = excluded.empty() ? first->end : excluded.end;
      periods[d].excluded_time -= excluded.length();
      excluded = {std::clamp(first->begin, done, begun), std::clamp(end, done, begun)};
      periods[d].excluded_time += excluded.length();
      Ps& next_begin = periods[d].time[s + 1].begin;
      next_begin = std::max(next_begin, excluded.end);
    }
  }
  return periods;
}

// Steps of another kind that were done before the host began the next one, on whatever device, are no part
// of it.
StepPeriods WithoutOtherKinds(const OtherKinds& kinds, const Work& work, StepPeriods periods) {
  for (size_t s = 1; s < kinds.before.size(); ++s) {
    if (!kinds.before[s]) continue;
    Ps done = -kMaxTime;
    for (const DeviceStepWork& device : work)
      done = std::max(done, device.steps[s - 1].after.other_kind_done);
    // What outlasts its annotation was not waited for.
    if (done > *kinds.before[s]) continue;
    for (size_t d = 0; d < work.size(); ++d) {
      Ps& begin = periods[d].time[s].begin;
      if (work[d].steps[s].events > 0) begin = std::max(begin, std::min(done, work[d].steps[s].begun));
    }
  }
  return periods;
}

}  // namespace

StepPeriods FindPeriods(const Marks& marks, const std::vector<Ps>& next, const OtherKinds& kinds,
                        const Work& work) {
  StepPeriods periods;
  for (const DeviceStepWork& device : work) periods.push_back(OwnPeriods(marks, kinds, device));
  const std::vector<Ps> done = DoneOnAll(marks.size(), work, periods);
  for (size_t d = 0; d < work.size(); ++d)
    periods[d] = WithIdleSteps(marks, work[d], done, std::move(periods[d]));
  periods = WithCommonExclusions(marks, work, WorkAside(work, next), std::move(periods));
  return WithoutOtherKinds(kinds, work, std::move(periods));
}

StepPeriods WithWhatHeldUp(StepPeriods periods) {
  for (DevicePeriods& device : periods) {
    for (size_t s = 0; s < device.time.size(); ++s)
      device.time[s].end = std::max(device.time[s].end, device.excluded[s].begin);
  }
  return periods;
}

StepPeriods BlockPeriods(const Marks& marks, const Work& work, StepPeriods periods) {
  const std::vector<Ps> done = DoneOnAll(marks.size(), work, periods);
  for (DevicePeriods& device : periods) device.excluded_time = Ps();
  Ps reached = -kMaxTime;
  for (size_t s = 0; s < marks.size(); ++s) {
    const Interval whole{std::max(marks[s].host.begin, reached), std::max(marks[s].host.end, done[s])};
    bool worked = false;
    for (size_t d = 0; d < work.size(); ++d) {
      const bool own = work[d].steps[s].events > 0;
      periods[d].time[s] = own && !whole.empty() ? whole : Interval{};
      worked |= own;
    }
    if (worked) reached = std::max(reached, whole.end);
  }
  return periods;
}

}  // namespace gait::analyze

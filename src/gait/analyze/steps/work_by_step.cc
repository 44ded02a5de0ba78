#include "gait/analyze/steps/work_by_step.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

using Kind = WorkOwner::Kind;

// Work of one device after a step that is no step's, in order of begin.
class OutsideWork {
 public:
  void Add(Interval time) {
    if (time.begin > reached_ && worked_ > Ps()) pauses_.push_back({reached_, time.begin});
    worked_ = SaturatedSum(worked_, std::max(Ps(), time.end - std::max(time.begin, reached_)));
    reached_ = std::max(reached_, time.end);
  }
  std::optional<Ps> BegunAfterPause() const {
    for (size_t i = pauses_.size(); i-- > 0;) {
      if (pauses_[i].length() > worked_) return pauses_[i].end;
    }
    return std::nullopt;
  }

 private:
  std::vector<Interval> pauses_;
  Ps reached_ = -kMaxTime;
  Ps worked_;
};

// How long any of some work ran, which comes in order of begin.
class Covered {
 public:
  void Add(std::span<const WorkItem> work) {
    for (const WorkItem& piece : work) {
      if (piece.time.end <= until_) continue;
      sum_ = SaturatedSum(sum_, piece.time.end - std::max(until_, piece.time.begin));
      until_ = piece.time.end;
    }
  }
  Ps sum() const { return sum_; }

 private:
  Ps until_ = -kMaxTime;
  Ps sum_;
};

// What one call asked for in one row.
struct CallWork {
  std::span<const WorkItem> pieces;
  WorkOwner owner;
  Interval time;
  Ps first_end;  // of a piece

  const WorkItem& first() const { return pieces.front(); }
};

CallWork CallWorkAt(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners, size_t begin) {
  const WorkItem& first = work[begin];
  CallWork call{{}, owners[begin], first.time, first.time.end};
  size_t next = begin + 1;
  for (; next < work.size() && work[next].call == first.call && work[next].event.track == first.event.track &&
         owners[next] == call.owner;
       ++next) {
    call.time.end = std::max(call.time.end, work[next].time.end);
    call.first_end = std::min(call.first_end, work[next].time.end);
  }
  call.pieces = std::span(work).subspan(begin, next - begin);
  return call;
}

// Sums up the work of one device, which comes in order of begin.
class WorkSum {
 public:
  WorkSum(const Trace& trace, const StepNeighbours& neighbours)
      : trace_(trace), neighbours_(neighbours), outside_work_(neighbours.next.size()) {
    sum_.steps.resize(neighbours.next.size());
  }

  void Add(const CallWork& call) {
    switch (call.owner.kind) {
      case Kind::kStep:
        return AddOwn(call);
      case Kind::kBetween:
        return neighbours_.none ? AddOutside(call) : AddOtherKind(call);
      case Kind::kOutside:
        return AddOutside(call);
      case Kind::kBefore:
        sum_.before_done = std::max(sum_.before_done.value_or(call.time.end), call.time.end);
        return;
      case Kind::kOther:
        return;
    }
  }

  DeviceStepWork Finish() && {
    sum_.busy = busy_.sum();
    sum_.outside = outside_.sum();
    for (size_t s = 0; s < outside_work_.size(); ++s)
      sum_.steps[s].after.outside_after_pause = outside_work_[s].BegunAfterPause();
    return std::move(sum_);
  }

 private:
  void AddOwn(const CallWork& call) {
    WorkOfStep& step = sum_.steps[call.owner.step];
    if (call.first().has_call()) AddLaunch(call, step);
    step.begun = std::min(step.begun, call.time.begin);
    step.done = std::max(step.done, call.time.end);
    step.events += call.pieces.size();
    busy_.Add(call.pieces);
  }

  void AddLaunch(const CallWork& call, WorkOfStep& step) {
    const auto [track, index] = call.first().call;
    const bool stream = trace_.track(call.first().event.track).info().kind == TrackKind::kStream;
    const auto [asked, launched] = trace_.track(track).interval(index);
    const bool inside_call = !stream && call.first_end <= launched;
    step.first_launch = std::min(step.first_launch, asked);
    if (stream || inside_call) step.last_launch = std::max(step.last_launch, launched);
    sum_.inside_calls |= inside_call;
  }

  WorkAfterStep& AddAfter(const CallWork& call, bool outside) {
    WorkAfterStep& after = sum_.steps[call.owner.step].after;
    after.done = std::max(after.done, call.time.end);
    if (call.time.begin < after.begun) {
      after.begun = call.time.begin;
      after.outside_first = outside;
    }
    return after;
  }

  void AddOutside(const CallWork& call) {
    AddAfter(call, true).outside = true;
    outside_work_[call.owner.step].Add(call.time);
    outside_.Add(call.pieces);
  }

  void AddOtherKind(const CallWork& call) {
    WorkAfterStep& after = AddAfter(call, false);
    after.other_kind = true;
    if (call.time.end <= neighbours_.next[call.owner.step])
      after.other_kind_done = std::max(after.other_kind_done, call.time.end);
  }

  const Trace& trace_;
  const StepNeighbours& neighbours_;
  DeviceStepWork sum_;
  std::vector<OutsideWork> outside_work_;  // by step
  Covered busy_, outside_;
};

// Whether each step was done after all work that was launched before its own.
bool InOrder(const DeviceStepWork& work) {
  Ps latest = work.before_done.value_or(-kMaxTime);
  for (const WorkOfStep& step : work.steps) {
    if (step.events > 0 && step.done < latest) return false;
    latest = std::max({latest, step.after.done, step.done});
  }
  return true;
}

// Work that is still running when a later step is done runs beside the steps, as a long copy to the host
// does: it ends none of them.
DeviceStepWork WithoutWhatOutlasts(const std::vector<WorkItem>& work, const std::vector<WorkOwner>& owners,
                                   DeviceStepWork sum) {
  std::vector<std::vector<Ps>> of_step(sum.steps.size());
  std::vector<std::vector<Ps>> after(sum.steps.size());
  std::vector<Ps> before;
  for (size_t i = 0; i < work.size(); ++i) {
    const auto [step, kind] = owners[i];
    const Ps end = work[i].time.end;
    if (kind == Kind::kStep) of_step[step].push_back(end);
    if (kind == Kind::kOutside || kind == Kind::kBetween) after[step].push_back(end);
    if (kind == Kind::kBefore) before.push_back(end);
  }
  Ps later = kMaxTime * 2;  // when the step behind was done
  const auto last = [&](const std::vector<Ps>& ends) {
    std::optional<Ps> found;
    for (const Ps end : ends) {
      if (end <= later) found = std::max(found.value_or(end), end);
    }
    return found;
  };
  for (size_t s = sum.steps.size(); s-- > 0;) {
    WorkOfStep& step = sum.steps[s];
    step.after.done = last(after[s]).value_or(-kMaxTime);
    if (step.events > 0) later = step.done = last(of_step[s]).value_or(later);
  }
  sum.before_done = last(before);
  return sum;
}

}  // namespace

bool DeviceStepWork::works() const {
  return std::ranges::any_of(steps, [](const WorkOfStep& step) { return step.events > 0; });
}

std::vector<Ps> NextBegins(const std::vector<StepMark>& marks) {
  std::vector<Ps> next(marks.size(), kMaxTime);
  std::map<TrackId, Ps> begin;  // by thread: of the mark behind
  for (size_t s = marks.size(); s-- > 0;) {
    const auto [behind, last] = begin.try_emplace(marks[s].thread, marks[s].host.begin);
    if (!last) next[s] = std::exchange(behind->second, marks[s].host.begin);
  }
  return next;
}

DeviceStepWork WorkByStep(const Trace& trace, const std::vector<WorkItem>& work,
                          const std::vector<WorkOwner>& owners, const StepNeighbours& neighbours) {
  WorkSum sum(trace, neighbours);
  for (size_t i = 0; i < work.size();) {
    const CallWork call = CallWorkAt(work, owners, i);
    sum.Add(call);
    i += call.pieces.size();
  }
  DeviceStepWork found = std::move(sum).Finish();
  return InOrder(found) ? found : WithoutWhatOutlasts(work, owners, std::move(found));
}

}  // namespace gait::analyze

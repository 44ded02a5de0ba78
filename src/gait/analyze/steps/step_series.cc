#include "gait/analyze/steps/step_series.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "gait/analyze/steps/step_blocks.h"
#include "gait/analyze/steps/step_inference.h"
#include "gait/analyze/steps/step_waits.h"
#include "gait/analyze/steps/work_owners.h"
#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

Ps Median(std::vector<Ps> values) {
  if (values.empty()) return Ps();
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// What a run is about are not its evaluations, however long they take: "eval", "validation_step", "Test".
bool IsEvaluation(std::string_view name) {
  std::string word;
  const auto is_one = [&] {
    return word.starts_with("eval") || word.starts_with("valid") || word == "val" || word == "test";
  };
  for (const char c : name) {
    const bool letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    if (!letter && is_one()) return true;
    if (!letter) word.clear();
    if (letter) word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return is_one();
}

class SeriesMaker {
 public:
  SeriesMaker(const Trace& trace, const std::vector<Device>& devices, const HostWorkItems& work)
      : trace_(trace), devices_(devices), work_(work) {
    const StringId compile = trace.strings().Find("backend_compile").value_or(StringId());
    const StringId load = trace.strings().Find("backend_compile_and_load").value_or(StringId());
    if (!compile.valid() && !load.valid()) return;
    for (const Track& track : trace.tracks()) {
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        const StringId name = track.name(EventIndex(i));
        if (name == compile || name == load) compiles_.push_back(track.interval(EventIndex(i)));
      }
    }
  }

  // `others` are the annotations of other names; `owner` is InferredSteps's.
  void Fill(StepSeries& series, const std::vector<StepMark>& marks, const std::vector<StepMark>& others,
            const std::vector<std::vector<uint32_t>>& owner = {}) {
    for (const StepMark& mark : marks) {
      Step& step = series.steps.emplace_back();
      step.number = mark.number;
      step.host = mark.host;
      step.host_step = mark.host;
      step.thread = mark.thread;
      step.partial = mark.partial;
      step.time.resize(devices_.size());
      step.events.resize(devices_.size());
    }
    SetHostSteps(series.steps);
    work_time_[series.name] = {};
    launches_.last.assign(series.steps.size(), -kMaxTime);
    launches_.first.assign(series.steps.size(), kMaxTime);
    launches_.inside_calls = false;
    followed_.assign(series.steps.size(), false);
    aside_.assign(series.steps.size(), {});
    series.outside.resize(devices_.size());
    series.left_out.resize(devices_.size());
    others_done_.assign(series.steps.size(), -kMaxTime);
    begun_.assign(devices_.size(), std::vector<Ps>(series.steps.size(), kMaxTime));
    left_out_.assign(devices_.size(), std::vector<Interval>(series.steps.size(), {-kMaxTime, -kMaxTime}));
    among_others_ = !marks.empty() && IsAmong(marks.front(), others);
    const auto last = static_cast<uint32_t>(series.steps.size()) - 1;
    std::vector<std::vector<WorkOwner>> owners;
    if (owner.empty()) owners = WorkOwners(trace_, marks, others).Of(work_);
    for (const std::vector<uint32_t>& of_device : owner) owners.push_back(OwnersOfRuns(of_device, last));
    std::vector<std::vector<Interval>> of_others(devices_.size());
    for (size_t d = 0; d < devices_.size(); ++d) {
      const std::vector<WorkOwner>& of = owners[d];
      FillDevice(series, of, d);
      for (size_t i = 0; i < of.size() && series.inferred; ++i) {
        const bool known = !owner.empty() || work_[d][i].has_call();
        if (known && of[i].kind == WorkOwner::Kind::kOther) of_others[d].push_back(work_[d][i].time);
      }
    }
    for (size_t d = 0; d < devices_.size(); ++d) FillIdleSteps(series.steps, d);
    LeaveOutOnAll(series);
    LeaveOutOthers(series, others);
    Judge(series);
    for (size_t d = 0; d < devices_.size(); ++d) {
      std::vector<Interval> steps;
      for (const Step& step : series.steps) steps.push_back(step.time[d]);
      series.of_others +=
          TotalLength(Intersect(Normalize(std::move(of_others[d])), Normalize(std::move(steps))));
    }
  }

  // How long devices worked for the steps of a series that was filled.
  Ps Work(const StepSeries& series) const { return work_time_.at(series.name); }

 private:
  // Whether the thread began others before it and others after it.
  static bool IsAmong(const StepMark& mark, const std::vector<StepMark>& others) {
    bool before = false;
    bool after = false;
    for (const StepMark& other : others) {
      if (other.thread != mark.thread) continue;
      (other.host.begin < mark.host.begin ? before : after) = true;
    }
    return before && after;
  }

  // Each lasts until its thread begins the next one.
  void SetHostSteps(std::vector<Step>& steps) {
    launches_.next.assign(steps.size(), kMaxTime);
    std::map<TrackId, size_t> last;
    for (size_t s = 0; s < steps.size(); ++s) {
      const auto [before, first] = last.try_emplace(steps[s].thread, s);
      if (first) continue;
      steps[before->second].host_step.end = launches_.next[before->second] = steps[s].host.begin;
      steps[before->second].alone = false;
      before->second = s;
    }
  }

  static std::vector<WorkOwner> OwnersOfRuns(const std::vector<uint32_t>& steps, uint32_t last) {
    std::vector<WorkOwner> owners(steps.size());
    bool begun = false;
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool in_step = steps[i] <= last;
      begun |= in_step && steps[i] == 0;
      // What follows the loop does not end where the first step begins.
      if (in_step) owners[i] = {steps[i], WorkOwner::Kind::kStep};
      if (!in_step && !begun) owners[i].kind = WorkOwner::Kind::kBefore;
      if (steps[i] == InferredSteps::kAfterSteps) owners[i] = {last, WorkOwner::Kind::kOutside};
    }
    return owners;
  }

  // Work of one device after a step that is no step's, in order of begin.
  class OutsideWork {
   public:
    void Add(Interval time) {
      if (time.begin > reached_ && worked_ > Ps()) pauses_.push_back({reached_, time.begin});
      worked_ = SaturatedSum(worked_, std::max(Ps(), time.end - std::max(time.begin, reached_)));
      reached_ = std::max(reached_, time.end);
    }
    // Where it goes on after the last pause that is longer than all of it: the loop stood still, and not for
    // this work. nullopt: there is none.
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

  // When the work of one device was done, by step.
  struct Finishes {
    std::vector<uint64_t> events;
    std::vector<Ps> step;
    std::vector<Ps> between;   // of what ran after it and before the next one; -kMaxTime: nothing did
    std::optional<Ps> before;  // of work launched before the first annotation

    explicit Finishes(size_t steps) : events(steps), step(steps), between(steps, -kMaxTime) {}

    bool InOrder() const {
      Ps latest = before.value_or(-kMaxTime);
      for (size_t s = 0; s < step.size(); ++s) {
        if (events[s] > 0 && step[s] < latest) return false;
        latest = std::max({latest, between[s], events[s] > 0 ? step[s] : -kMaxTime});
      }
      return true;
    }
  };

  // Work that is still running when a later step is done runs beside the steps, as a long copy to the host
  // does: it ends none of them.
  void LeaveOutWhatOutlasts(const std::vector<WorkOwner>& owners, size_t d, Finishes& finish) const {
    std::vector<std::vector<Ps>> of_step(finish.step.size());
    std::vector<std::vector<Ps>> between(finish.step.size());
    std::vector<Ps> before;
    for (size_t i = 0; i < work_[d].size(); ++i) {
      const auto [step, kind] = owners[i];
      const Ps end = work_[d][i].time.end;
      if (kind == WorkOwner::Kind::kStep) of_step[step].push_back(end);
      if (kind == WorkOwner::Kind::kOutside || kind == WorkOwner::Kind::kBetween)
        between[step].push_back(end);
      if (kind == WorkOwner::Kind::kBefore) before.push_back(end);
    }
    Ps later = kMaxTime * 2;  // when the step behind was done
    const auto last = [&](const std::vector<Ps>& ends) {
      std::optional<Ps> found;
      for (const Ps end : ends) {
        if (end <= later) found = std::max(found.value_or(end), end);
      }
      return found;
    };
    for (size_t s = finish.step.size(); s-- > 0;) {
      finish.between[s] = last(between[s]).value_or(-kMaxTime);
      if (finish.events[s] > 0) later = finish.step[s] = last(of_step[s]).value_or(later);
    }
    finish.before = last(before);
  }

  void FillDevice(StepSeries& series, const std::vector<WorkOwner>& owners, size_t d) {
    Finishes finish(series.steps.size());
    Ps reached = -kMaxTime;  // by work outside of steps
    Ps& time = work_time_[series.name];
    Ps worked = -kMaxTime;  // until when, for steps
    std::vector<bool> outside_after(series.steps.size());
    // By step: when the first work after it that is not its own began, and whether that is of no step.
    std::vector<Ps> begun_after(series.steps.size(), kMaxTime);
    std::vector<bool> outside_first(series.steps.size());
    std::vector<OutsideWork> outside_work(series.steps.size());
    const std::vector<WorkItem>& work = work_[d];
    for (size_t i = 0, next = 0; i < work.size(); i = next) {
      // What one call asked for, all kernels of a graph say, is looked at together.
      const WorkItem& item = work[i];
      const auto [step, kind] = owners[i];
      Ps end = item.time.end;
      Ps first_end = end;
      for (next = i + 1; next < work.size() && work[next].call == item.call &&
                         work[next].event.track == item.event.track && owners[next] == owners[i];
           ++next) {
        end = std::max(end, work[next].time.end);
        first_end = std::min(first_end, work[next].time.end);
      }
      // Adds the time that it covers and nothing before it did.
      const auto cover = [&](Ps& until, Ps& sum) {
        for (size_t piece = i; piece < next; ++piece) {
          const Interval own = work[piece].time;
          if (own.end <= until) continue;
          sum = SaturatedSum(sum, own.end - std::max(until, own.begin));
          until = own.end;
        }
      };
      // Inferred steps have no other kinds beside them: what comes between is what follows the loop.
      const bool outside =
          kind == WorkOwner::Kind::kOutside || (series.inferred && kind == WorkOwner::Kind::kBetween);
      if (outside || kind == WorkOwner::Kind::kBetween)
        finish.between[step] = std::max(finish.between[step], end);
      if ((outside || kind == WorkOwner::Kind::kBetween) && item.time.begin < begun_after[step]) {
        begun_after[step] = item.time.begin;
        outside_first[step] = outside;
      }
      if (kind == WorkOwner::Kind::kBetween && !outside) {
        followed_[step] = true;
        if (end <= launches_.next[step]) others_done_[step] = std::max(others_done_[step], end);
      }
      if (outside) outside_after[step] = true;
      if (outside) outside_work[step].Add({item.time.begin, end});
      if (outside) cover(reached, series.outside[d]);
      if (kind == WorkOwner::Kind::kBefore) finish.before = std::max(finish.before.value_or(end), end);
      if (kind != WorkOwner::Kind::kStep) continue;
      if (item.has_call()) {
        const bool stream = trace_.track(item.event.track).info().kind == TrackKind::kStream;
        const auto [asked, launched] = trace_.track(item.call.track).interval(item.call.index);
        launches_.first[step] = std::min(launches_.first[step], asked);
        if (stream || first_end <= launched) launches_.last[step] = std::max(launches_.last[step], launched);
        launches_.inside_calls |= !stream && first_end <= launched;
      }
      begun_[d][step] = std::min(begun_[d][step], item.time.begin);
      finish.step[step] = finish.events[step] == 0 ? end : std::max(finish.step[step], end);
      finish.events[step] += next - i;
      cover(worked, time);
    }
    if (!finish.InOrder()) LeaveOutWhatOutlasts(owners, d, finish);
    std::optional<Ps> previous;
    const bool works = std::ranges::any_of(finish.events, [](uint64_t events) { return events > 0; });
    for (size_t s = 0; s < series.steps.size(); ++s) {
      Step& step = series.steps[s];
      step.events[d] = finish.events[s];
      if (s > 0 && finish.between[s - 1] > -kMaxTime) {
        const Ps end = finish.between[s - 1];
        if (previous && end > *previous && outside_after[s - 1]) {
          // Whatever the host did before it launched that held up the loop: until then it is the step's.
          const bool between = finish.events[s - 1] > 0 && finish.events[s] > 0;
          const Ps begun =
              between && outside_first[s - 1]
                  ? std::clamp(outside_work[s - 1].BegunAfterPause().value_or(begun_after[s - 1]), *previous,
                               end)
                  : *previous;
          if (between) left_out_[d][s - 1] = {begun, end};
          if (works) series.left_out[d] += end - begun;
        }
        if (!works && outside_after[s - 1] && end <= launches_.next[s - 1])
          aside_[s - 1] = {begun_after[s - 1], end};
        previous = std::max(previous.value_or(end), end);
      }
      if (finish.events[s] == 0) continue;
      // Work from before ends where the first step begins, which is not before the host asked for it, unless
      // steps of other kinds were around it.
      if (!previous && s == 0 && finish.before) {
        const Ps asked = std::min(step.host.begin, finish.step[s]);
        previous = among_others_ ? *finish.before : std::max(*finish.before, asked);
      }
      if (!previous) step.first = true;
      const Ps begin = previous.value_or(std::min(step.host.begin, finish.step[s]));
      step.time[d] = {begin, std::max(begin, finish.step[s])};
      previous = step.time[d].end;
    }
  }

  // The steps of a thread in which a device has nothing to do, between two that it works for.
  void FillIdleSteps(std::vector<Step>& steps, size_t d) const {
    std::vector<size_t> worked;
    for (size_t s = 0; s < steps.size(); ++s) {
      if (steps[s].events[d] > 0) worked.push_back(s);
    }
    for (size_t i = 1; i < worked.size(); ++i) {
      Step& next = steps[worked[i]];
      Ps reached = steps[worked[i - 1]].time[d].end;
      if (next.thread != steps[worked[i - 1]].thread) continue;
      for (size_t s = worked[i - 1] + 1; s < worked[i]; ++s) {
        if (steps[s].thread != next.thread) continue;
        const Ps done = std::min(LastFinish(steps[s]), begun_[d][worked[i]]);
        if (done <= reached) continue;
        steps[s].time[d] = {reached, done};
        reached = done;
      }
      next.time[d].begin = std::max(next.time[d].begin, reached);
    }
  }

  // The loop stood still for all devices while one of them worked outside of it: what is left out there is no
  // step's on the others either, and what held up the loop before that is the same step's on all.
  void LeaveOutOnAll(StepSeries& series) {
    for (size_t s = 0; s + 1 < series.steps.size(); ++s) {
      Step& step = series.steps[s];
      Step& next = series.steps[s + 1];
      if (step.thread != next.thread) continue;
      const auto at_step = [&](size_t d) { return left_out_[d][s]; };
      std::optional<Interval> first;
      if (!aside_[s].empty()) first = aside_[s];
      for (size_t d = 0; d < devices_.size(); ++d) {
        if (!at_step(d).empty() && (!first || at_step(d).begin < first->begin)) first = at_step(d);
      }
      for (size_t d = 0; first && d < devices_.size(); ++d) {
        const Ps done = step.time[d].end;
        const Ps begun = begun_[d][s + 1];
        if (step.events[d] == 0 || next.events[d] == 0 || begun <= done) continue;
        const Ps end = at_step(d).empty() ? first->end : at_step(d).end;
        const Interval own{std::clamp(first->begin, done, begun), std::clamp(end, done, begun)};
        series.left_out[d] -= at_step(d).length();
        left_out_[d][s] = own;
        next.time[d].begin = std::max(next.time[d].begin, own.end);
        series.left_out[d] += own.length();
      }
    }
  }

  // Steps of another kind that were done before the host began the next one, on whatever device, are no part
  // of it. On the host a step between such begins where the one before ended, as it does on the device.
  void LeaveOutOthers(StepSeries& series, const std::vector<StepMark>& others) const {
    std::map<TrackId, std::vector<Ps>> ends;
    for (const StepMark& other : others) ends[other.thread].push_back(other.host.end);
    for (auto& [thread, of_thread] : ends) std::ranges::sort(of_thread);
    for (size_t s = 0; s < series.steps.size(); ++s) {
      Step& step = series.steps[s];
      if (followed_[s]) {
        step.host_step.end = step.host.end;
        step.alone = true;
      }
      const bool same_thread = s > 0 && series.steps[s - 1].thread == step.thread;
      if (s == 0 ? !among_others_ : !same_thread || !followed_[s - 1]) continue;
      const std::vector<Ps>& before = ends[step.thread];
      const auto after = std::ranges::upper_bound(before, step.host.begin);
      if (after == before.begin()) continue;
      const Ps end = *std::prev(after);
      step.host_step.begin = s > 0 ? std::max(end, series.steps[s - 1].host.end) : end;
      // What outlasts its annotation was not waited for.
      const bool waited = s > 0 && others_done_[s - 1] <= end;
      for (size_t d = 0; d < devices_.size() && waited; ++d) {
        const Ps begin = std::min(others_done_[s - 1], begun_[d][s]);
        if (step.events[d] > 0) step.time[d].begin = std::max(step.time[d].begin, begin);
      }
    }
  }

  // On the devices that worked for it; -kMaxTime: none did.
  static Ps LastFinish(const Step& step) {
    Ps last = -kMaxTime;
    for (size_t d = 0; d < step.time.size(); ++d) {
      if (step.events[d] > 0) last = std::max(last, step.time[d].end);
    }
    return last;
  }

  // Which steps hold part of their work only, because the capture begins or ends there: those before or after
  // all with work, on any device or on one that worked for most; and the last that a device worked for.
  void JudgeParts(StepSeries& series) const {
    struct Worked {
      const Step* first = nullptr;
      const Step* last = nullptr;
      std::vector<uint64_t> events{};  // of these steps

      void Add(const Step& step, uint64_t count) {
        if (first == nullptr) first = &step;
        last = &step;
        events.push_back(count);
      }
      bool IsAround(const Step& step) const { return first < &step && &step < last; }
      // In a step that is whole: the first and the last may not be.
      uint64_t Usual() const {
        std::vector<uint64_t> whole = events;
        if (whole.size() > 2) whole = {events.begin() + 1, events.end() - 1};
        std::ranges::sort(whole);
        return whole[whole.size() / 2];
      }
    };
    std::map<std::pair<TrackId, size_t>, Worked> worked;  // by thread and device
    std::map<TrackId, Worked> on_any;                     // by thread
    for (const Step& step : series.steps) {
      if (step.has_work()) on_any[step.thread].Add(step, 1);
      for (size_t d = 0; d < devices_.size(); ++d) {
        if (step.events[d] > 0) worked[{step.thread, d}].Add(step, step.events[d]);
      }
    }
    uint64_t with = 0;  // steps, times the devices that worked for their thread
    uint64_t without = 0;
    for (const Step& step : series.steps) {
      for (size_t d = 0; d < devices_.size(); ++d) {
        if (worked.contains({step.thread, d})) ++(step.events[d] > 0 ? with : without);
      }
    }
    for (Step& step : series.steps) {
      const auto any = on_any.find(step.thread);
      step.no_work = !step.has_work() && any != on_any.end() && any->second.IsAround(step);
      step.partial |= !worked.empty() && !step.has_work() && !step.no_work;
      for (size_t d = 0; d < devices_.size(); ++d) {
        const auto on = worked.find({step.thread, d});
        if (on == worked.end()) continue;
        if (step.events[d] == 0) {
          step.partial |= step.has_work() && with >= without && !on->second.IsAround(step);
        } else if (&step == on->second.last) {
          step.partial |= step.events[d] * 10 < on->second.Usual() * 9;
        }
      }
    }
  }

  void Judge(StepSeries& series) {
    std::vector<Ps> durations;
    if (!series.blocks) JudgeParts(series);
    std::map<TrackId, Ps> reached;  // by thread: where the step before ended on the host
    for (Step& step : series.steps) {
      const auto [before, first] = reached.try_emplace(step.thread, step.host.begin);
      const Interval way = {std::min(step.host.begin, before->second), step.host.end};
      step.compiles = std::ranges::any_of(compiles_, [&](Interval c) { return c.overlaps(way); });
      before->second = step.host.end;
    }
    JudgeWaits(trace_, launches_, series);
    if (series.blocks) SpanBlocks(series);
    if (!series.blocks) JudgeFirst(series);
    for (size_t d = 0; d < devices_.size() && !series.blocks; ++d) {
      for (size_t s = 0; s < series.steps.size(); ++s) {
        Interval& time = series.steps[s].time[d];
        time.end = std::max(time.end, left_out_[d][s].begin);
      }
    }
    for (const Step& step : series.steps) {
      if (step.complete()) durations.push_back(step.duration());
    }
    const Ps median = Median(durations);
    for (Ps& duration : durations) duration = duration > median ? duration - median : median - duration;
    const Ps spread = Median(durations);
    for (Step& step : series.steps) {
      const Ps off = step.duration() > median ? step.duration() - median : median - step.duration();
      step.outlier = step.complete() && durations.size() >= 5 && off > spread * 5 && off > median / 10;
    }
  }

  // On the first device that has work of it.
  static std::vector<Interval>::const_iterator Begun(const Step& step) {
    return std::ranges::find_if(step.time, [](Interval time) { return !time.empty(); });
  }

  // Where the host waits or is behind, a step begins when the one before is done. The first one is known from
  // its annotation on, and lacks what the others have before theirs, or has more where annotations overlap:
  // it counts where that is little of it.
  static void JudgeFirst(StepSeries& series) {
    if (series.steps.empty()) return;
    // One that is alone was held up by none before it: what was launched for it began behind its annotation.
    const bool alone = series.steps.size() == 1 && !series.inferred;
    if (!alone && !series.waits && !series.host_bound && !series.host_late) return;
    // Work that ended before its annotation tells no more of its begin than none.
    if (Step& first = series.steps.front(); !first.first) {
      const auto begun = Begun(first);
      first.first = begun != first.time.end() && begun->begin == first.host.begin;
    }
    std::vector<Ps> leads;  // between the finish before and the annotation
    for (const Step& step : series.steps) {
      const auto begun = Begun(step);
      if (!step.complete() || begun == step.time.end()) continue;
      leads.push_back(std::max(step.host.begin - begun->begin, begun->begin - step.host.begin));
    }
    const Ps lead = Median(std::move(leads));
    constexpr int64_t kLittle = 10;  // a tenth
    for (Step& step : series.steps) step.first = step.first && lead * kLittle > step.duration();
  }

  const Trace& trace_;
  const std::vector<Device>& devices_;
  const HostWorkItems& work_;
  std::vector<Interval> compiles_;
  std::map<std::string, Ps> work_time_;  // by series
  StepLaunches launches_;                // of the series in the making
  std::vector<bool> followed_;           // by step: its thread launched for one of another kind next
  std::vector<Ps> others_done_;  // by step: when such were done, of those that were before the thread's next
  std::vector<std::vector<Ps>> begun_;  // by device and step: its first work
  // By device and step: what comes after it and is no step's, because of work of none. Until its begin the
  // loop was held up by what led to that work. Empty: nothing is.
  std::vector<std::vector<Interval>> left_out_;
  // By step: work of none on devices that have nothing to do with the steps, done before the next began.
  std::vector<Interval> aside_;
  bool among_others_ = false;  // steps of other kinds come before the first one and after it
};

}  // namespace

int64_t Step::devices() const {
  int64_t count = 0;
  for (size_t d = 0; d < events.size(); ++d) count += takes_part(d) ? 1 : 0;
  return count;
}

bool StepSeries::has_work() const { return std::ranges::any_of(steps, &Step::has_work); }

std::string StepSeries::LoopText() const {
  if (!host_known) return "the capture does not hold the host's launches";
  const auto waited = static_cast<size_t>(std::ranges::count_if(steps, &Step::waited));
  const auto with_work = static_cast<size_t>(std::ranges::count_if(steps, &Step::has_work));
  if (waits && 10 * waited >= 9 * with_work) return "the host waits for each step";
  if (host_late) return "the host goes on late: it waits, or is busy itself";
  if (waited > 0) {
    return fmt::format("the host {}waits for the results of {} of {} steps",
                       host_bound ? "is slower than the device, and " : "", waited, with_work);
  }
  if (waits) return "the host waits for each step";
  if (runs_inline) return "the host runs the programs itself, inside its calls";
  return host_bound ? "the host is slower than the device" : "the host does not wait for results";
}

std::vector<const Step*> StepSeries::Counted() const {
  std::vector<const Step*> counted;
  for (const Step& step : steps) {
    if (step.complete() && step.has_work()) counted.push_back(&step);
  }
  if (!counted.empty()) return counted;
  for (const Step& step : steps) {
    if (step.has_work()) counted.push_back(&step);
  }
  return counted;
}

Ps Step::duration() const {
  Ps total;
  for (const Interval on_device : time) total += on_device.length();
  return has_work() ? total / devices() : host.length();
}

std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work) {
  SeriesMaker maker(trace, devices, work);
  std::vector<StepSeries> all;
  const std::map<std::string, std::vector<StepMark>> annotations = FindStepMarks(trace);
  for (const auto& [name, marks] : annotations) {
    std::vector<StepMark> others;
    for (const auto& [other, theirs] : annotations) {
      if (other != name) others.insert(others.end(), theirs.begin(), theirs.end());
    }
    StepSeries& series = all.emplace_back();
    series.name = name;
    series.blocks = marks.front().block;
    maker.Fill(series, marks, others);
  }
  const bool any_work = std::ranges::any_of(work, [](const auto& items) { return !items.empty(); });
  // A capture begun inside a loop that never waits may hold annotations of some steps and the work of others.
  const bool others_work = !all.empty() && any_work && std::ranges::none_of(all, &StepSeries::has_work);
  const bool blocks = std::ranges::any_of(all, &StepSeries::blocks);
  if (all.empty() || (others_work && !blocks)) {
    if (const std::optional<InferredSteps> found = InferSteps(trace, devices, work)) {
      StepSeries series;
      series.name = found->program;
      series.inferred = true;
      series.launches = found->launches;
      series.note = found->note;
      series.host_known = found->host_known;
      series.thread = found->thread;
      maker.Fill(series, found->marks, found->others, found->owner);
      // Where calls only queue work that other threads launch much later, calls are no steps.
      const auto worked = static_cast<size_t>(std::ranges::count_if(series.steps, &Step::has_work));
      const size_t idle = series.steps.size() - worked;
      const bool are_steps = !found->by_calls || worked == 0 || idle <= 1 + series.steps.size() / 10;
      if (are_steps && (worked > 0 || !others_work)) all.push_back(std::move(series));
    }
  }
  std::ranges::stable_sort(all, std::greater(), [&](const StepSeries& s) {
    const Ps worked = maker.Work(s);
    return std::tuple(worked > Ps() && !IsEvaluation(s.name), worked, s.steps.size());
  });
  // A block around others, with little work besides, says less than they do.
  const auto inner = std::ranges::find_if(all, [&](const StepSeries& s) {
    return s.blocks && s.steps.size() > all[0].steps.size() && maker.Work(s) * 10 >= maker.Work(all[0]) * 9;
  });
  if (inner != all.end() && all[0].blocks) std::rotate(all.begin(), inner, inner + 1);
  return all;
}

}  // namespace gait::analyze

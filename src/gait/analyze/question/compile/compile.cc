#include "gait/analyze/question/compile/compile.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include "gait/analyze/steps/find_steps.h"

#include "gait/base/pattern.h"

namespace gait::analyze {
namespace {

// From the first step's begin to the last one's end.
std::optional<Interval> StepsOf(const HostView& host) {
  std::optional<Interval> span;
  if (host.series.empty()) return span;
  for (const Step& step : host.series[0].steps) {
    Interval whole = step.host;
    for (const Interval time : step.time) {
      if (!time.empty()) whole.end = std::max(whole.end, time.end);
    }
    if (!span) span = whole;
    span = Interval{std::min(span->begin, whole.begin), std::max(span->end, whole.end)};
  }
  return span;
}

const Step* StepAround(const std::vector<Step>& steps, Ps time) {
  const auto after = std::ranges::upper_bound(steps, time, {}, [](const Step& s) { return s.host.begin; });
  if (after == steps.begin() || !std::prev(after)->host.contains(time)) return nullptr;
  return &*std::prev(after);
}

// The host's way to each step: its annotation and what its thread did since the one before. Whatever the host
// compiles there holds that step up.
class HostTurns {
 public:
  HostTurns(const HostView& host, const Selection& selection) {
    if (host.series.empty()) return;
    series_ = host.series;
    // The step before a selected one is not in the view.
    if (selection.has_steps() || !selection.program.empty())
      series_ = FindSteps(host.trace(), host.devices, host.work);
    const auto own = std::ranges::find(series_, host.series[0].name, &StepSeries::name);
    if (own == series_.end()) return;
    std::rotate(series_.begin(), own, std::next(own));
    std::set<Ps> selected;
    for (const Step& step : host.series[0].steps) selected.insert(step.host.begin);
    for (const Step& step : series_[0].steps) {
      std::vector<Turn>& turns = turns_[step.thread];
      Interval time = step.host;
      if (!turns.empty()) time.begin = std::min(time.begin, turns.back().time.end);
      turns.push_back({time, step.number, selected.contains(step.host.begin)});
    }
  }

  // The step that is held up by what a thread begins at a time; a thread without steps may do it for any.
  std::optional<int64_t> StepAt(TrackId thread, Ps time) const {
    if (const auto own = turns_.find(thread); own != turns_.end()) return StepAt(own->second, time);
    for (const auto& [other, turns] : turns_) {
      if (const std::optional<int64_t> step = StepAt(turns, time)) return step;
    }
    return std::nullopt;
  }

  // Of the selected steps.
  IntervalSet times() const {
    std::vector<Interval> times;
    for (const auto& [thread, turns] : turns_) {
      for (const Turn& turn : turns) {
        if (turn.selected) times.push_back(turn.time);
      }
    }
    return Normalize(std::move(times));
  }

 private:
  struct Turn {
    Interval time;
    int64_t step;
    bool selected;
  };

  std::optional<int64_t> StepAt(const std::vector<Turn>& turns, Ps time) const {
    const auto after = std::ranges::upper_bound(turns, time, {}, [](const Turn& t) { return t.time.begin; });
    if (after == turns.begin()) return std::nullopt;
    const Turn& turn = *std::prev(after);
    if (!turn.selected || !turn.time.contains(time)) return std::nullopt;
    // What a step of another kind compiles between two of these is that one's.
    if (StepAround(series_[0].steps, time) == nullptr) {
      for (size_t i = 1; i < series_.size(); ++i) {
        if (StepAround(series_[i].steps, time) != nullptr) return std::nullopt;
      }
    }
    return turn.step;
  }

  std::vector<StepSeries> series_;              // that of the view first, with all its steps
  std::map<TrackId, std::vector<Turn>> turns_;  // by thread, in order
};

// Forgets the work of tasks that are not wanted.
void KeepTasks(CompileWork& work, const std::vector<bool>& keep) {
  std::vector<uint32_t> place(work.tasks.size());
  std::vector<CompileTask> tasks;
  for (size_t i = 0; i < work.tasks.size(); ++i) {
    place[i] = static_cast<uint32_t>(tasks.size());
    if (keep[i]) tasks.push_back(std::move(work.tasks[i]));
  }
  work.tasks = std::move(tasks);
  std::erase_if(work.slices, [&](const CompileSlice& s) { return !keep[s.task]; });
  for (CompileSlice& slice : work.slices) slice.task = place[slice.task];
}

Ps IdleDuring(const HostView& host, const IntervalSet& times) {
  if (host.times.empty()) return TotalLength(times);
  Int128 busy = 0;
  for (const DeviceTime& device : host.times) busy += TotalLength(Intersect(device.busy(), times)).value();
  return TotalLength(times) - Ps(static_cast<int64_t>(busy / static_cast<int64_t>(host.times.size())));
}

HostCompiles Analyze(const HostView& view, const Selection& selection, const Pattern& program) {
  HostCompiles result;
  result.view = &view;
  CompileWork work = FindCompileWork(view.trace());
  std::vector<CompileReason> reasons = FindReasons(view, work.tasks);
  if (!selection.program.empty()) {
    std::vector<bool> keep;
    std::vector<CompileReason> kept;
    for (size_t i = 0; i < work.tasks.size(); ++i) {
      const std::string id = reasons[i].program ? std::to_string(*reasons[i].program) : "";
      keep.push_back(id == selection.program || program.Matches(work.tasks[i].module));
      if (keep.back()) kept.push_back(std::move(reasons[i]));
    }
    KeepTasks(work, keep);
    reasons = std::move(kept);
  }
  std::optional<Interval> steps = StepsOf(view);
  const HostTurns turns(view, selection);
  IntervalSet windows = {{-kMaxTime, kMaxTime}};
  if (selection.has_steps() && steps) {
    windows = turns.times();
    if (!windows.empty()) steps->begin = std::min(steps->begin, windows[0].begin);
  }
  result.window = steps.value_or(view.trace().span());
  result.window_of_steps = steps.has_value();
  result.steps = view.series.empty() ? 0 : view.series[0].steps.size();
  result.shares = ShareCompileTime(work, windows);
  result.in_window = TotalLength(Clip(result.shares.times, result.window));
  result.idle_meanwhile = IdleDuring(view, result.shares.times);

  std::unordered_map<std::string, uint64_t> seen;
  std::set<int64_t> hit;
  for (size_t i = 0; i < work.tasks.size(); ++i) {
    const CompileTask& task = work.tasks[i];
    Compilation made;
    made.function = task.function;
    made.module = task.module;
    made.nth = ++seen[task.module];
    made.span = task.span;
    made.elapsed = result.shares.elapsed[i];
    made.phases = result.shares.tasks[i];
    for (const Ps phase : made.phases) made.wall += phase;
    made.cache = task.cache;
    made.compiled = task.backend.has_value();
    if (task.thread.valid()) made.step = turns.StepAt(task.thread, task.span.begin);
    made.thread = task.thread;
    made.event = task.event;
    made.reason = std::move(reasons[i]);
    if (selection.has_steps() && made.wall == Ps()) continue;
    if (made.step) hit.insert(*made.step);
    result.compilations.push_back(std::move(made));
  }
  result.steps_hit = hit.size();
  return result;
}

}  // namespace

Ps HostCompiles::phase(CompilePhase p) const {
  Ps sum;
  for (const StageTime& stage : shares.stages[static_cast<size_t>(p)]) sum += stage.wall;
  return sum;
}

uint64_t HostCompiles::compiled() const {
  return static_cast<uint64_t>(std::ranges::count_if(compilations, &Compilation::compiled));
}

uint64_t HostCompiles::in_steps() const {
  if (!window_of_steps) return 0;
  return static_cast<uint64_t>(std::ranges::count_if(
      compilations, [&](const Compilation& c) { return c.compiled && c.span.overlaps(window); }));
}

uint64_t HostCompiles::from_cache() const {
  return static_cast<uint64_t>(std::ranges::count_if(
      compilations, [](const Compilation& c) { return c.from_cache() && !c.compiled; }));
}

CompileTotals MostOfAnyHost(std::span<const HostCompiles> hosts) {
  CompileTotals most;
  for (const HostCompiles& host : hosts) {
    if (host.wall() > most.wall) {
      most.wall = host.wall();
      most.autotuning = host.phase(CompilePhase::kAutotuning);
    }
    most.compiled = std::max(most.compiled, host.compiled());
    most.in_steps = std::max(most.in_steps, host.in_steps());
  }
  return most;
}

Result<std::span<const HostCompiles>> FindCompilations(const RunView& view) {
  GAIT_TRY(const Pattern program, Pattern::Compile(view.selection.program));
  return view.memo->Get<std::vector<HostCompiles>>([&] {
    std::vector<HostCompiles> result;
    for (const HostView& host : view.hosts) result.push_back(Analyze(host, view.selection, program));
    return result;
  });
}

}  // namespace gait::analyze

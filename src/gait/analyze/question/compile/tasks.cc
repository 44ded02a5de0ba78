#include "gait/analyze/question/compile/tasks.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "gait/analyze/question/compile/pool_work.h"

namespace gait::analyze {
namespace {

using Kind = CompileRole::Kind;

constexpr uint32_t kNoTask = 0xffffffff;
// Compiler calls that run at the same time and are looked at for the owner of a worker's event.
constexpr size_t kMostAtOnce = 256;

struct Mark {
  EventIndex event;
  CompileRole role;
};

struct Span {
  Interval time;
  uint32_t task = kNoTask;
  CompileStage stage = CompileStage::kOther;
  bool autotuning = false;
  bool caller = false;
  bool strong = true;
  StringId name;  // of a stage's event
};

class Finder {
 public:
  explicit Finder(const Trace& trace)
      : trace_(trace), roles_(trace), spans_(trace.tracks().size()), marks_(trace.tracks().size()) {}

  CompileWork Find() {
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        const CompileRole& role = roles_[track.name(EventIndex(i))];
        if (role.kind != Kind::kNone) marks_[t].push_back({EventIndex(i), role});
      }
      FindTasks(TrackId(t));
    }
    for (size_t i = 0; i < work_.tasks.size(); ++i) {
      if (work_.tasks[i].backend)
        backends_.push_back({work_.tasks[i].backend->begin, static_cast<uint32_t>(i)});
    }
    std::ranges::sort(backends_);
    if (backends_.size() > 1) pools_.emplace(trace_);
    for (size_t t = 0; t < marks_.size(); ++t) {
      for (const Mark& mark : marks_[t]) {
        if (!mark.role.is_stage()) continue;
        const Track& track = trace_.tracks()[t];
        spans_[t].push_back({track.interval(mark.event), kNoTask, mark.role.stage, mark.role.autotuning,
                             false, mark.role.kind == Kind::kStage, track.name(mark.event)});
      }
      Flatten(TrackId(t));
    }
    AddTaskOfNobody();
    NameModules();
    PutInOrder();
    return std::move(work_);
  }

 private:
  // The innermost jitted call around an event, the outer one of its two nested events; invalid: none.
  // Nullopt: a lowering or a compiler call stands between, which the event is a part of.
  std::optional<EventIndex> CallAround(const Track& track, EventIndex event) {
    EventIndex call;
    for (EventIndex up = track.parent(event); up.valid(); up = track.parent(up)) {
      const CompileRole& role = roles_[track.name(up)];
      if (call.valid()) {
        if (track.name(up) != track.name(call)) break;
        call = up;
      } else if (role.kind == Kind::kCall) {
        call = up;
      } else if (role.kind == Kind::kLower || role.kind == Kind::kBackend) {
        return std::nullopt;
      }
    }
    return call;
  }

  uint32_t NewTask(TrackId thread, EventIndex event, Interval span) {
    CompileTask task;
    task.thread = thread;
    task.event = event;
    task.span = span;
    task.call_end = span.end;
    task.lowered = span.begin;
    work_.tasks.push_back(std::move(task));
    return static_cast<uint32_t>(work_.tasks.size() - 1);
  }

  void AddSpan(TrackId thread, Interval time, uint32_t task, CompileStage stage) {
    if (time.empty()) return;
    Span span;
    span.time = time;
    span.task = task;
    span.stage = stage;
    span.caller = true;
    spans_[thread.value].push_back(span);
  }

  void FindTasks(TrackId thread) {
    const Track& track = trace_.track(thread);
    std::unordered_map<uint32_t, uint32_t> by_call;
    std::optional<uint32_t> waiting;  // lowered outside a call, not compiled yet
    for (size_t m = 0; m < marks_[thread.value].size(); ++m) {
      const auto [event, role] = marks_[thread.value][m];
      if (role.is_stage()) ++work_.events;
      if (role.kind != Kind::kLower && role.kind != Kind::kBackend) continue;
      const std::optional<EventIndex> call = CallAround(track, event);
      if (!call) continue;
      ++work_.events;
      const Interval time = track.interval(event);
      uint32_t task = kNoTask;
      Ps reached = time.begin;  // what the task has spans for
      if (call->valid()) {
        const auto [at, added] = by_call.try_emplace(call->value, kNoTask);
        if (added) {
          at->second = NewTask(thread, *call, {track.begin(*call), time.end});
          CompileTask& made = work_.tasks[at->second];
          made.call_end = track.end(*call);
          made.function = FunctionInName(trace_.text(track.name(*call)));
          AddSpan(thread, {track.begin(*call), time.begin}, at->second, CompileStage::kTracing);
        } else {
          reached = work_.tasks[at->second].span.end;
        }
        task = at->second;
        AddSpan(thread, {reached, time.begin}, task, CompileStage::kCache);
      } else if (role.kind == Kind::kBackend && waiting) {
        task = *std::exchange(waiting, std::nullopt);
      } else {
        task = NewTask(thread, event, time);
        if (role.kind == Kind::kLower) waiting = task;
      }
      CompileTask& known = work_.tasks[task];
      known.span.end = std::max(known.span.end, time.end);
      known.call_end = std::max(known.call_end, known.span.end);
      if (role.kind == Kind::kLower) known.lowered = time.end;
      if (role.kind == Kind::kBackend)
        known.backend = {known.backend ? known.backend->begin : time.begin, time.end};
      AddSpan(thread, time, task, role.stage);
    }
    for (const auto& [call, task] : by_call) FinishCall(thread, EventIndex(call), work_.tasks[task], task);
  }

  // What the cache said, and how long reading from it took: until the program runs.
  void FinishCall(TrackId thread, EventIndex call, CompileTask& task, uint32_t index) {
    const Track& track = trace_.track(thread);
    const auto& marks = marks_[thread.value];
    auto mark = std::ranges::lower_bound(marks, call, {}, &Mark::event);
    std::optional<Ps> runs;
    for (; mark != marks.end() && track.begin(mark->event) < task.call_end; ++mark) {
      const Ps begin = track.begin(mark->event);
      if (begin < task.lowered) continue;
      if (mark->role.kind == Kind::kCacheHit) task.cache = CacheResult::kHit;
      if (mark->role.kind == Kind::kCacheMiss) task.cache = CacheResult::kMiss;
      if (mark->role.kind == Kind::kExecute && begin >= task.span.end) {
        runs = begin;
        break;
      }
    }
    if (task.backend) return;
    if (task.cache == CacheResult::kUnknown && runs) task.cache = CacheResult::kLikelyHit;
    const Interval rest = {task.span.end, runs.value_or(task.call_end)};
    if (task.cache == CacheResult::kUnknown || rest.empty()) return;
    AddSpan(thread, rest, index, CompileStage::kCache);
    task.span.end = rest.end;
  }

  // Gives each instant of a thread to the innermost span.
  void Flatten(TrackId thread) {
    std::vector<Span>& spans = spans_[thread.value];
    std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
      return a.time.begin != b.time.begin ? a.time.begin < b.time.begin : a.time.end > b.time.end;
    });
    std::vector<Span> open;
    Ps reached;
    uint32_t known = kNoTask;  // for which the thread worked last, by its own word
    const auto emit = [&](Ps until) {
      const Span& top = open.back();
      if (reached < until) {
        work_.slices.push_back({{reached, until}, top.task, thread, top.stage, top.autotuning, top.caller});
        reached = until;
      }
    };
    const auto close = [&](std::optional<Ps> before) {
      while (!open.empty() && (!before || open.back().time.end <= *before)) {
        emit(open.back().time.end);
        open.pop_back();
      }
    };
    for (Span& span : spans) {
      close(span.time.begin);
      if (!open.empty()) {
        const Span& around = open.back();
        emit(span.time.begin);
        span.time.end = std::min(span.time.end, around.time.end);
        if (span.task == kNoTask) {
          span.task = around.task;
          span.caller = around.caller;
          span.autotuning |= around.autotuning;
          NameModule(span, span.caller);
        }
      } else if (span.task == kNoTask) {
        span.task = TaskAt(thread, span, known);
        if (span.task == kNoTask && !span.strong) continue;
        NameModule(span, false);
      }
      if (span.time.empty()) continue;
      reached = span.time.begin;
      open.push_back(span);
    }
    close(std::nullopt);
  }

  // The compiler's call that was running: the one that gave the pool this work, else the one of the module
  // that the event names, else the one that the thread worked for before, else the one that began last.
  uint32_t TaskAt(TrackId thread, const Span& span, uint32_t& known) const {
    const std::string_view module = ModuleInName(trace_.text(span.name));
    const auto asked = pools_ ? pools_->AskedBy(thread, span.time.begin) : std::nullopt;
    uint32_t last = kNoTask;
    uint32_t named = kNoTask;
    uint32_t same = kNoTask;
    auto at = std::ranges::upper_bound(backends_, std::pair(span.time.begin, kNoTask));
    for (size_t looked = 0; at != backends_.begin() && looked < kMostAtOnce; ++looked) {
      const uint32_t task = (--at)->second;
      const CompileTask& running = work_.tasks[task];
      if (running.backend->end <= span.time.begin) continue;
      if (asked && running.thread == asked->thread && running.backend->contains(asked->time))
        return known = task;
      if (named == kNoTask && !module.empty() && ExpectedModule(running) == module) named = task;
      if (task == known) same = task;
      if (last == kNoTask) last = task;
    }
    if (named != kNoTask) return known = named;
    return same != kNoTask ? same : last;
  }

  static std::string ExpectedModule(const CompileTask& task) {
    return task.module.empty() && !task.function.empty() ? ModuleOfFunction(task.function) : task.module;
  }

  // Workers name modules of candidates too: only what the passes of a whole program say counts there.
  void NameModule(const Span& span, bool of_caller) {
    if (span.task == kNoTask || !work_.tasks[span.task].module.empty()) return;
    if (!of_caller && (span.stage != CompileStage::kPasses || span.autotuning)) return;
    work_.tasks[span.task].module = ModuleInName(trace_.text(span.name));
  }

  void AddTaskOfNobody() {
    std::optional<Interval> span;
    for (const CompileSlice& slice : work_.slices) {
      if (slice.task != kNoTask) continue;
      if (!span) span = slice.time;
      span = Interval{std::min(span->begin, slice.time.begin), std::max(span->end, slice.time.end)};
    }
    if (!span) return;
    const uint32_t task = NewTask(TrackId(), EventIndex(), *span);
    for (CompileSlice& slice : work_.slices) {
      if (slice.task == kNoTask) slice.task = task;
    }
  }

  void NameModules() {
    for (CompileTask& task : work_.tasks) {
      task.module = ExpectedModule(task);
      if (task.function.empty() && task.module.starts_with("jit_")) task.function = task.module.substr(4);
    }
  }

  void PutInOrder() {
    std::vector<uint32_t> order(work_.tasks.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<uint32_t>(i);
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return work_.tasks[i].span.begin; });
    std::vector<CompileTask> tasks;
    std::vector<uint32_t> place(order.size());
    for (const uint32_t i : order) {
      place[i] = static_cast<uint32_t>(tasks.size());
      tasks.push_back(std::move(work_.tasks[i]));
    }
    work_.tasks = std::move(tasks);
    for (CompileSlice& slice : work_.slices) slice.task = place[slice.task];
  }

  const Trace& trace_;
  CompileRoles roles_;
  std::vector<std::vector<Span>> spans_;  // by track
  std::vector<std::vector<Mark>> marks_;
  std::vector<std::pair<Ps, uint32_t>> backends_;  // begin, task
  std::optional<PoolWork> pools_;                  // where more than one may have given them work
  CompileWork work_;
};

}  // namespace

CompileWork FindCompileWork(const Trace& trace) { return Finder(trace).Find(); }

}  // namespace gait::analyze

#include "gait/analyze/question/host/host.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/time/interval_prefix_cursor.h"
#include "gait/analyze/time/interval_prefix_sum.h"

namespace gait::analyze {
namespace {

constexpr uint32_t kNone = 0xffffffff;
constexpr Ps kNever = -kMaxTime;

// Of times that are at most twice kMaxTime: the sum fits.
void Add(Ps& sum, Ps value) { sum = std::min(sum + value, kMaxTime); }

// The steps that count; all annotated ones where no device work belongs to any. With a selected program those
// that ran it.
std::vector<const Step*> CountedSteps(const HostView& view) {
  if (view.series.empty()) return {};
  std::vector<const Step*> steps = view.series[0].Counted();
  if (!view.turns.empty()) {
    std::erase_if(steps, [&](const Step* step) {
      for (size_t d = 0; d < view.turns.size(); ++d) {
        if (!Clip(view.turns[d], step->time[d]).empty()) return false;
      }
      return true;
    });
  }
  if (!steps.empty()) return steps;
  for (const Step& step : view.series[0].steps) steps.push_back(&step);
  return steps;
}

// Which thread runs the loop: the one that runs the user's Python code; where there is none, the one with
// most events of those that are not the runtime's own.
TrackId MainThread(const Trace& trace, const std::vector<TrackId>& threads, const HostActivity& activity) {
  if (activity.python_thread().valid()) return activity.python_thread();
  TrackId best;
  std::pair<bool, size_t> most;
  for (const TrackId thread : threads) {
    const Track& track = trace.track(thread);
    const std::pair key(!IsRuntimeThread(trace.text(track.info().name)), track.size());
    if (key <= most) continue;
    most = key;
    best = thread;
  }
  return best;
}

class Analysis {
 public:
  explicit Analysis(const HostView& view)
      : view_(view),
        trace_(view.trace()),
        activity_(ActivityOf(view)),
        steps_(CountedSteps(view)),
        splits_(WithoutParts(view, steps_)),
        windows_(Windows()) {
    for (auto& of_kind : rows_) of_kind.assign(trace_.strings().size(), kNone);
  }

  HostTime Run() && {
    result_.window = TotalLength(windows_.set());
    if (!view_.series.empty()) {
      result_.loop = view_.series[0].LoopText();
      result_.waits = view_.series[0].waits || view_.series[0].loop == Loop::kHostLate;
      result_.inferred = view_.series[0].inferred();
    }
    std::vector<TrackId> threads;
    for (size_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread || track.size() == 0) continue;
      if (trace_.plane(track.info().plane).kind == PlaneKind::kHost) threads.emplace_back(t);
    }
    const std::map<TrackId, std::vector<HostStepSplit*>> loops = Loops(threads);
    IntervalSet staging;  // by threads that work for those that run a loop
    for (const TrackId thread : threads) {
      if (!loops.contains(thread) && !activity_.runs_python(thread))
        staging = Union(staging, Staging(thread));
    }
    const DeviceMoments devices(view_, staging);
    std::map<TrackId, StepSplitter> splitters;
    const TrackId python = activity_.python_thread();
    for (const auto& [thread, steps] : loops) splitters.try_emplace(thread, devices, steps, thread == python);
    awaited_ =
        IntervalPrefixSum(Intersect(Union(devices.awaited.set(), devices.results.set()), windows_.set()));
    for (const TrackId thread : threads) {
      const auto splitter = splitters.find(thread);
      if (splitter == splitters.end()) {
        AddThread(thread);
        continue;
      }
      const IntervalPrefixSum own = WindowsOf(loops.at(thread));
      AddThread(thread, &splitter->second, loops.size() > 1 ? &own : nullptr);
      splitter->second.Finish();
      result_.has_main = true;
    }
    result_.steps = std::move(splits_);
    Sort();
    return std::move(result_);
  }

 private:
  // What one row of activities did on the thread that is being added. Times of one thread that do not
  // overlap sum to twice kMaxTime at most.
  struct OnThread {
    Ps reached = kNever;  // how far its events cover the thread
    uint64_t count = 0;
    Ps durations;
    Ps longest;
    Ps total;
    Ps self;
    Ps own_total;  // the same in the thread's own steps, where they are not all
    Ps own_self;
    bool seen = false;
  };

  // By thread that runs a loop: its steps.
  std::map<TrackId, std::vector<HostStepSplit*>> Loops(const std::vector<TrackId>& threads) {
    std::map<TrackId, std::vector<HostStepSplit*>> loops;
    const TrackId main = MainThread(trace_, threads, activity_);
    for (size_t s = 0; s < steps_.size(); ++s) {
      loops[steps_[s]->thread.valid() ? steps_[s]->thread : main].push_back(&splits_[s]);
    }
    if (loops.empty() && main.valid()) loops[main] = {};
    return loops;
  }

  static IntervalPrefixSum WindowsOf(const std::vector<HostStepSplit*>& steps) {
    std::vector<Interval> windows;
    for (const HostStepSplit* step : steps) {
      if (step->counts) windows.push_back(step->time);
    }
    return IntervalPrefixSum(Normalize(std::move(windows)));
  }

  IntervalPrefixSum Windows() const {
    std::vector<Interval> windows;
    for (const HostStepSplit& step : splits_) {
      if (step.counts) windows.push_back(step.time);
    }
    if (view_.series.empty()) {
      for (const Track& track : trace_.tracks()) {
        if (track.info().kind == TrackKind::kThread && track.size() > 0) windows.push_back(track.span());
      }
      Interval all;
      for (const Interval& w : windows) {
        all = all.empty() ? w : Interval{std::min(all.begin, w.begin), std::max(all.end, w.end)};
      }
      windows = {all};
    }
    return IntervalPrefixSum(Normalize(std::move(windows)));
  }

  IntervalSet Staging(TrackId thread) const {
    IntervalSet staging;
    const Track& track = trace_.track(thread);
    for (size_t i = 0; i < track.size(); ++i) {
      if (activity_.work({thread, EventIndex(i)}) == HostWork::kStaging)
        Append(staging, track.interval(EventIndex(i)));
    }
    return staging;
  }

  uint32_t RowOf(HostKind kind, StringId name) {
    uint32_t& row = rows_[static_cast<size_t>(kind)][name.value];
    return row != kNone ? row : row = NewRow(kind, name);
  }
  uint32_t NewRow(HostKind kind, StringId name) {
    const std::string_view common = CommonName(trace_.text(name));
    const auto [at, fresh] = by_text_[static_cast<size_t>(kind)].try_emplace(
        common, static_cast<uint32_t>(result_.activities.size()));
    if (fresh) {
      ActivityTime& activity = result_.activities.emplace_back();
      activity.name = common;
      activity.kind = kind;
      result_.has_python |= kind == HostKind::kPython;
      on_thread_.emplace_back();
    }
    return at->second;
  }

  // `splitter` of a thread that runs a loop; `own` are its steps where they are not all.
  void AddThread(TrackId id, StepSplitter* splitter = nullptr, const IntervalPrefixSum* own = nullptr) {
    const bool main = splitter != nullptr;
    const bool awaits = id == activity_.python_thread() && !awaited_.set().empty();
    const Track& track = trace_.track(id);
    HostThread thread;
    thread.name = TrackName(trace_, track);
    thread.ordinal = ++threads_of_name_[thread.name];
    thread.main = main;
    std::vector<uint32_t> row_of(track.size());
    std::vector<uint32_t> rows;              // each once
    IntervalPrefixCursor windows(windows_);  // events are ahead of slices
    IntervalPrefixCursor slice_windows(windows_);
    IntervalPrefixCursor own_windows(own == nullptr ? windows_ : *own);
    IntervalPrefixCursor own_slice_windows(own == nullptr ? windows_ : *own);
    std::vector<Ps> rest(main ? track.size() : 0);  // in an event itself
    const auto begins = [&](EventIndex event, Interval time) {
      const uint32_t row = RowOf(activity_.kind({id, event}), track.name(event));
      OnThread& here = on_thread_[row];
      row_of[event.value] = row;
      if (!here.seen) rows.push_back(row);
      here.seen = true;
      const Ps inside = windows.Inside(time);
      if (time.empty() ? !windows.Contains(time.begin) : inside == Ps()) return;
      if (activity_.ends_wait({id, event})) return;
      ++here.count;
      Add(here.durations, time.length());
      here.longest = std::max(here.longest, time.length());
      const Interval fresh{std::max(here.reached, time.begin), time.end};
      here.total += here.reached <= time.begin ? inside : windows.Inside(fresh);
      if (own != nullptr) here.own_total += own_windows.Inside(fresh);
      here.reached = std::max(here.reached, time.end);
    };
    const auto owned = [&](const OwnedSlice& slice) {
      if (main) splitter->Add(slice);
      const Ps inside = slice_windows.Inside(slice.time);
      if (inside == Ps()) return;
      OnThread& here = on_thread_[row_of[slice.event.value]];
      here.self += inside;
      if (!main) return;
      const Ps in_own = own == nullptr ? inside : own_slice_windows.Inside(slice.time);
      if (own != nullptr) here.own_self += in_own;
      if (slice.part != HostPart::kNone) return;
      rest[slice.event.value] += in_own;
      if (awaits) rest[slice.event.value] -= awaited_.Inside(slice.time);
    };
    SweepThread(trace_, id, activity_, begins, owned);
    AddRows(rows, main, own != nullptr, thread);
    if (main) AddRest(track, row_of, std::move(rest));
    if (thread.events == 0) return;
    result_.threads.push_back(std::move(thread));
  }

  // What the rows did on the thread, which is forgotten then.
  void AddRows(const std::vector<uint32_t>& rows, bool main, bool own_steps, HostThread& thread) {
    Ps most;
    for (const uint32_t row : rows) {
      const OnThread here = std::exchange(on_thread_[row], {});
      ActivityTime& activity = result_.activities[row];
      thread.events += here.count;
      activity.count += here.count;
      activity.threads += here.count > 0 ? 1 : 0;
      activity.longest = std::max(activity.longest, here.longest);
      Add(activity.durations, here.durations);
      Add(activity.total, here.total);
      Add(activity.self, here.self);
      if (main) {
        Add(activity.main_total, own_steps ? here.own_total : here.total);
        Add(activity.main_self, own_steps ? here.own_self : here.self);
      }
      Add(result_.self[static_cast<size_t>(activity.kind)], here.self);
      if (activity.kind == HostKind::kStep || here.self == Ps()) continue;
      Add(thread.busy, here.self);
      const Ps self = std::min(here.self, kMaxTime);
      if (!thread.top || self > most || (self == most && row < *thread.top)) {
        thread.top = row;
        most = self;
      }
    }
  }

  // `rest` is what each event of the main thread has in itself.
  void AddRest(const Track& track, const std::vector<uint32_t>& row_of, std::vector<Ps> rest) {
    for (size_t i = rest.size(); i-- > 0;) {
      if (const EventIndex around = track.parent(EventIndex(i)); around.valid())
        rest[around.value] += rest[i];
    }
    std::vector<Ps> reached(result_.activities.size(), kNever);
    for (size_t i = 0; i < rest.size(); ++i) {
      const Interval time = track.interval(EventIndex(i));
      if (time.begin < reached[row_of[i]]) continue;  // inside another of its name
      reached[row_of[i]] = time.end;
      Add(result_.activities[row_of[i]].main_rest, rest[i]);
    }
  }

  // Largest self time first; what threads point to moves along.
  void Sort() {
    std::vector<size_t> order;
    for (size_t i = 0; i < result_.activities.size(); ++i) {
      if (result_.activities[i].count > 0) order.push_back(i);
    }
    std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) {
      const ActivityTime& activity = result_.activities[i];
      return std::tuple(!activity.aside(), activity.self, activity.total);
    });
    std::vector<size_t> position(result_.activities.size());
    std::vector<ActivityTime> sorted;
    for (const size_t i : order) {
      position[i] = sorted.size();
      sorted.push_back(std::move(result_.activities[i]));
    }
    result_.activities = std::move(sorted);
    for (HostThread& thread : result_.threads) {
      if (thread.top) thread.top = position[*thread.top];
    }
    std::ranges::stable_sort(result_.threads, [](const HostThread& a, const HostThread& b) {
      return a.main != b.main ? a.main : a.busy > b.busy;
    });
  }

  const HostView& view_;
  const Trace& trace_;
  const HostActivity& activity_;
  std::vector<const Step*> steps_;
  std::vector<HostStepSplit> splits_;  // of them
  IntervalPrefixSum windows_;
  IntervalPrefixSum awaited_;  // what the Python thread waited for, in the windows
  HostTime result_;
  std::unordered_map<std::string, int64_t> threads_of_name_;
  std::vector<OnThread> on_thread_;                     // by row
  std::array<std::vector<uint32_t>, kHostKinds> rows_;  // by kind and name
  std::array<std::unordered_map<std::string_view, uint32_t>, kHostKinds> by_text_;
};

}  // namespace

HostStepSplit HostTime::Sum() const {
  HostStepSplit sum;
  for (const HostStepSplit& step : steps) {
    if (!step.counts) continue;
    Add(sum.step, step.step);
    Add(sum.rest, step.rest);
    Add(sum.rest_device_busy, step.rest_device_busy);
    for (size_t p = 0; p < kHostParts; ++p) {
      Add(sum.parts[p], step.parts[p]);
      Add(sum.device_busy[p], step.device_busy[p]);
    }
  }
  return sum;
}

HostTime AnalyzeHost(const HostView& view) { return Analysis(view).Run(); }

}  // namespace gait::analyze

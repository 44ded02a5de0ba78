#include "gait/analyze/step_series.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_set>

namespace gait::analyze {
namespace {

struct Mark {
  int64_t number;
  Interval host;
  bool partial = false;
};

// Annotations by name, in order of begin.
std::map<std::string, std::vector<Mark>> FindAnnotations(const Trace& trace) {
  std::map<std::string, std::vector<Mark>> marks;
  const std::optional<StringId> key = trace.strings().Find("step_num");
  if (!key) return marks;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (track.args(event) == kNoArgs) continue;
      const auto number = trace.FindArg({TrackId(t), event}, *key);
      if (!number || !number->integer()) continue;
      marks[std::string(trace.text(track.name(event)))].push_back(
          {*number->integer(), track.interval(event)});
    }
  }
  for (auto& [name, list] : marks) std::ranges::sort(list, {}, [](const Mark& m) { return m.host.begin; });
  return marks;
}

// The host's program launches, each run once, in order.
struct Launch {
  Ps begin;
  StringId program;
};
std::vector<Launch> FindProgramLaunches(const Trace& trace) {
  std::vector<Launch> launches;
  const std::optional<StringId> key = trace.strings().Find("run_id");
  if (!key) return launches;
  std::unordered_set<uint64_t> runs;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (trace.text(track.name(event)).find("::Execute") == std::string_view::npos) continue;
      const auto run = trace.FindArg({TrackId(t), event}, *key);
      if (run && runs.insert(run->bits).second) launches.push_back({track.begin(event), track.name(event)});
    }
  }
  std::ranges::sort(launches, {}, &Launch::begin);
  return launches;
}

// The calls of jitted functions, where launches have no run ids: of the thread that makes most of them, the
// outermost ones.
std::vector<Launch> FindJittedCalls(const Trace& trace) {
  std::vector<bool> jitted(trace.strings().size());
  for (size_t i = 0; i < jitted.size(); ++i) {
    const std::string_view name = trace.text(StringId(i));
    jitted[i] = name.starts_with("PjitFunction(") || name.starts_with("PmapFunction(");
  }
  std::vector<Launch> most;
  for (const Track& track : trace.tracks()) {
    if (track.info().kind != TrackKind::kThread) continue;
    std::vector<Launch> calls;
    Ps reached = -kMaxTime;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!jitted[track.name(event).value] || track.end(event) <= reached) continue;
      reached = track.end(event);
      calls.push_back({track.begin(event), track.name(event)});
    }
    if (calls.size() > most.size()) most = std::move(calls);
  }
  return most;
}

// How many launches differ from the one a period earlier; counting stops above the limit.
size_t CountDiffering(const std::vector<Launch>& launches, size_t period, size_t limit) {
  size_t differ = 0;
  for (size_t i = period; i < launches.size() && differ <= limit; ++i)
    differ += launches[i].program != launches[i - period].program;
  return differ;
}

// The smallest period after which the sequence of programs repeats; 0 when there is none. One that fits
// exactly goes before a smaller one that fits but for one launch in twenty: a step that runs the same few
// programs for each of its layers repeats itself inside, except where a step ends.
size_t FindPeriod(const std::vector<Launch>& launches) {
  constexpr size_t kMinRepeats = 3;
  constexpr size_t kMostPeriod = size_t{1} << 14;  // keeps a capture without any period cheap
  for (const size_t tolerated : {size_t{0}, launches.size() / 20}) {
    for (size_t period = 1; period * kMinRepeats <= launches.size() && period <= kMostPeriod; ++period) {
      if (CountDiffering(launches, period, tolerated) <= tolerated) return period;
    }
  }
  return 0;
}

// "PjRt...::Execute (jit_train_step)" runs jit_train_step.
std::string ProgramInName(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos || !name.ends_with(')')) return std::string(name);
  return std::string(name.substr(open + 1, name.size() - open - 2));
}

// How many launches come before the loop: up to the last that differs from the one a period later, as long as
// half of all up to there do.
size_t CountBeforeLoop(const std::vector<Launch>& launches, size_t period) {
  size_t before = 0;
  size_t differ = 0;
  for (size_t i = 0; i + 3 * period <= launches.size() && 2 * (differ + 1) > i; ++i) {
    if (launches[i].program == launches[i + period].program) continue;
    ++differ;
    if (2 * differ > i) before = i + 1;
  }
  return before;
}

// `by_calls`: launches have no run ids, so that calls of jitted functions stand for them.
std::optional<StepSeries> InferMarks(const Trace& trace, std::vector<Mark>& marks, bool& by_calls) {
  std::vector<Launch> launches = FindProgramLaunches(trace);
  by_calls = launches.empty();
  if (by_calls) launches = FindJittedCalls(trace);
  const size_t period = FindPeriod(launches);
  if (period == 0) return std::nullopt;
  launches.erase(launches.begin(),
                 launches.begin() + static_cast<ptrdiff_t>(CountBeforeLoop(launches, period)));
  for (size_t i = 0; i < launches.size(); i += period) {
    const Ps end = i + period < launches.size() ? launches[i + period].begin : trace.span().end;
    const bool cut = i + period > launches.size();  // the capture ended before its last launches
    marks.push_back({static_cast<int64_t>(marks.size()), {launches[i].begin, end}, cut});
  }
  StepSeries series;
  series.name = ProgramInName(trace.text(launches[0].program));
  series.inferred = true;
  return series;
}

Ps Median(std::vector<Ps> values) {
  if (values.empty()) return Ps();
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

class SeriesMaker {
 public:
  SeriesMaker(const Trace& trace, const std::vector<Device>& devices, const HostWorkItems& work)
      : trace_(trace), devices_(devices), work_(work) {
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const Track& track = trace.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        if (trace.text(track.name(EventIndex(i))) == "backend_compile_and_load" ||
            trace.text(track.name(EventIndex(i))) == "backend_compile") {
          compiles_.push_back(track.interval(EventIndex(i)));
        }
      }
    }
  }

  // `others` is when annotations of other names began, in order.
  void Fill(StepSeries& series, const std::vector<Mark>& marks, const std::vector<Ps>& others) {
    for (const Mark& mark : marks) {
      Step& step = series.steps.emplace_back();
      step.number = mark.number;
      step.host = mark.host;
      step.host_step = mark.host;
      step.partial = mark.partial;
      step.time.resize(devices_.size());
      step.events.resize(devices_.size());
    }
    for (size_t s = 1; s < series.steps.size(); ++s) {
      series.steps[s - 1].host_step.end = series.steps[s].host.begin;
    }
    for (size_t d = 0; d < devices_.size(); ++d) FillDevice(series, others, d);
    Judge(series);
  }

  uint64_t Work(const StepSeries& series) const {
    uint64_t events = 0;
    for (const Step& step : series.steps) {
      for (const uint64_t count : step.events) events += count;
    }
    return events;
  }

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);  // launched before the first step

  // Whether an annotation of another name that began after this one had ended made the launch.
  static bool TakenOver(const Step& step, const std::vector<Ps>& others, Ps launch) {
    const auto after = std::ranges::upper_bound(others, launch);
    return after != others.begin() && *std::prev(after) >= step.host.end;
  }

  void FillDevice(StepSeries& series, const std::vector<Ps>& others, size_t d) {
    std::vector<Ps> others_finish(series.steps.size(), -kMaxTime);  // of their work between two steps
    std::vector<Ps> finish(series.steps.size());
    std::vector<uint64_t> events(series.steps.size());
    std::optional<Ps> finish_before;  // of work launched before the first annotation
    // Work that one call asked for, all kernels of a graph say, belongs to one step.
    EventRef last_call;
    size_t made_by = kNone;  // the step that made it
    bool taken = false;      // after its annotation, by one of another name
    for (const WorkItem& item : work_[d]) {
      if (!item.has_call()) continue;
      const Ps end = trace_.track(item.event.track).end(item.event.index);
      if (item.call != last_call) {
        const Ps launch = trace_.track(item.call.track).begin(item.call.index);
        const auto after =
            std::ranges::upper_bound(series.steps, launch, {}, [](const Step& s) { return s.host.begin; });
        made_by =
            after == series.steps.begin() ? kNone : static_cast<size_t>(after - series.steps.begin()) - 1;
        taken = made_by != kNone && TakenOver(series.steps[made_by], others, launch);
        last_call = item.call;
      }
      if (taken) {
        others_finish[made_by] = std::max(others_finish[made_by], end);
        continue;
      }
      if (made_by == kNone) {
        finish_before = std::max(finish_before.value_or(end), end);
        continue;
      }
      finish[made_by] = events[made_by] == 0 ? end : std::max(finish[made_by], end);
      ++events[made_by];
    }
    std::optional<Ps> previous;
    for (size_t s = 0; s < series.steps.size(); ++s) {
      Step& step = series.steps[s];
      step.events[d] = events[s];
      if (s > 0 && others_finish[s - 1] > -kMaxTime)
        previous = std::max(previous.value_or(others_finish[s - 1]), others_finish[s - 1]);
      if (events[s] == 0) continue;
      if (!previous && s == 0) previous = finish_before;
      if (!previous) step.first = true;
      const Ps begin = previous.value_or(std::min(step.host.begin, finish[s]));
      step.time[d] = {begin, std::max(begin, finish[s])};
      previous = step.time[d].end;
    }
  }

  void Judge(StepSeries& series) {
    std::vector<Ps> durations;
    std::vector<uint64_t> events;
    for (const Step& step : series.steps) {
      for (const uint64_t count : step.events) events.push_back(count);
    }
    std::ranges::sort(events);
    const uint64_t usual = events.empty() ? 0 : events[events.size() / 2];
    size_t waited = 0;
    for (Step& step : series.steps) {
      for (size_t d = 0; d < devices_.size(); ++d) {
        // A step of a capture's edge holds part of its work.
        if (step.events[d] * 10 < usual * 9) {
          step.partial |= &step == &series.steps.back() || step.events[d] == 0;
        }
        if (!step.time[d].empty() && step.time[d].end <= step.host.end) ++waited;
      }
      step.compiles = std::ranges::any_of(compiles_, [&](Interval c) { return c.overlaps(Whole(step)); });
    }
    series.waits =
        !series.inferred && waited * 2 > series.steps.size() * std::max<size_t>(devices_.size(), 1);
    for (Step& step : series.steps) {
      // Where the host waits, a step begins when the one before is done: with its annotation, the first one
      // too.
      if (series.waits) step.first = false;
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
  const std::vector<Device>& devices_;
  const HostWorkItems& work_;
  std::vector<Interval> compiles_;
};

}  // namespace

bool Step::has_work() const {
  return std::ranges::any_of(events, [](uint64_t count) { return count > 0; });
}

bool StepSeries::has_work() const { return std::ranges::any_of(steps, &Step::has_work); }

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
  int64_t worked = 0;
  for (const Interval interval : time) {
    if (interval.empty()) continue;
    total += interval.length();
    ++worked;
  }
  return worked == 0 ? host.length() : total / worked;
}

std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work) {
  SeriesMaker maker(trace, devices, work);
  std::vector<StepSeries> all;
  const std::map<std::string, std::vector<Mark>> annotations = FindAnnotations(trace);
  for (const auto& [name, marks] : annotations) {
    std::vector<Ps> others;
    for (const auto& [other, theirs] : annotations) {
      if (other == name) continue;
      for (const Mark& mark : theirs) others.push_back(mark.host.begin);
    }
    std::ranges::sort(others);
    StepSeries& series = all.emplace_back();
    series.name = name;
    maker.Fill(series, marks, others);
  }
  if (all.empty()) {
    std::vector<Mark> marks;
    bool by_calls = false;
    if (std::optional<StepSeries> series = InferMarks(trace, marks, by_calls)) {
      maker.Fill(*series, marks, {});
      // Where calls only queue work that other threads launch much later, calls are no steps.
      const auto worked = static_cast<size_t>(std::ranges::count_if(series->steps, &Step::has_work));
      const size_t idle = series->steps.size() - worked;
      if (!by_calls || worked == 0 || idle <= 1 + series->steps.size() / 10)
        all.push_back(*std::move(series));
    }
  }
  std::ranges::stable_sort(all, std::greater(), [&](const StepSeries& s) { return maker.Work(s); });
  return all;
}

}  // namespace gait::analyze

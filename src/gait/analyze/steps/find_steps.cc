#include "gait/analyze/steps/find_steps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "gait/analyze/steps/host_periods.h"
#include "gait/analyze/steps/step_flags.h"
#include "gait/analyze/steps/step_inference.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/analyze/steps/step_periods.h"
#include "gait/analyze/steps/step_waits.h"
#include "gait/analyze/steps/work_by_step.h"
#include "gait/analyze/steps/work_owners.h"
#include "gait/analyze/time/durations.h"
#include "gait/analyze/vocabulary/people_words.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

// A block around others speaks for them where they hold less than 9 of 10 of its work.
constexpr int64_t kInnerWorkTenths = 9;

// Calls of jitted functions are no steps where devices did nothing for more than one in ten of them, and one
// at the end: there calls only queue work that other threads launch much later.
constexpr size_t kIdleOneIn = 10;

// Of host threads, in which a program is compiled.
std::vector<Interval> CompileCalls(const Trace& trace) {
  std::vector<Interval> calls;
  std::vector<bool> compiles(trace.strings().size());
  for (size_t i = 0; i < compiles.size(); ++i) {
    compiles[i] = Is(RuntimeCall::kBackendCompile, trace.text(StringId(i)));
  }
  for (const Track& track : trace.tracks()) {
    if (track.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      if (compiles[track.name(EventIndex(i)).value]) calls.push_back(track.interval(EventIndex(i)));
    }
  }
  return calls;
}

// What all series of a capture are made from.
struct Capture {
  const Trace& trace;
  const HostWorkItems& work;
  std::vector<Interval> compile_calls;
  std::vector<UnfinishedLaunch> unfinished{};  // where blocks are
};

// Where the steps of one kind are, and whose work is whose.
struct MarkedSteps {
  StepSource source;
  const std::vector<StepMark>& marks;
  const std::vector<StepMark>& others;  // the annotations of all other kinds
  std::vector<std::vector<WorkOwner>> owners;
  bool host_known = true;
  bool owners_known = false;  // also of work without a call
  TrackId thread{};           // that launches inferred steps, where it is one
};

struct MadeSeries {
  StepSeries series;
  Ps work;  // how long devices worked for it
};

std::vector<Step> StepsOf(const MarkedSteps& marked, const std::vector<HostPeriod>& host,
                          const std::vector<DeviceStepWork>& work, const StepPeriods& periods) {
  std::vector<Step> steps;
  for (size_t s = 0; s < marked.marks.size(); ++s) {
    const StepMark& mark = marked.marks[s];
    Step& step = steps.emplace_back(mark.number, mark.host, host[s].time, host[s].alone, mark.thread);
    for (size_t d = 0; d < work.size(); ++d) {
      step.time.push_back(periods[d].time[s]);
      step.events.push_back(work[d].steps[s].events);
    }
  }
  return steps;
}

// Of inferred steps: work in them that threads with programs of their own launched.
Ps ForeignWork(const Capture& capture, const MarkedSteps& marked, const std::vector<Step>& steps) {
  Ps foreign;
  for (size_t d = 0; d < capture.work.size(); ++d) {
    std::vector<Interval> of_others;
    for (size_t i = 0; i < capture.work[d].size(); ++i) {
      const WorkItem& item = capture.work[d][i];
      const bool known = marked.owners_known || item.has_call();
      if (known && marked.owners[d][i].kind == WorkOwner::Kind::kOther) of_others.push_back(item.time);
    }
    std::vector<Interval> times;
    for (const Step& step : steps) times.push_back(step.time[d]);
    foreign += TotalLength(Intersect(Normalize(std::move(of_others)), Normalize(std::move(times))));
  }
  return foreign;
}

MadeSeries MakeSeries(const Capture& capture, const MarkedSteps& marked) {
  const bool blocks = marked.source == StepSource::kBlocks;
  const bool inferred = marked.source == StepSource::kInferred;
  // Inferred steps have no other kinds beside them: what comes between is what follows the loop.
  const StepNeighbours neighbours{NextBegins(marked.marks), inferred};
  std::vector<DeviceStepWork> work;
  for (size_t d = 0; d < capture.work.size(); ++d)
    work.push_back(WorkByStep(capture.trace, capture.work[d], marked.owners[d], neighbours));
  const OtherKinds kinds = FindOtherKinds(marked.marks, marked.others, work);
  const StepPeriods periods = FindPeriods(marked.marks, neighbours.next, kinds, work);
  const std::vector<HostPeriod> host = HostPeriods(marked.marks, neighbours.next, kinds);

  const std::vector<Step> steps = StepsOf(marked, host, work, periods);
  const StepWaits waits =
      marked.host_known ? FindWaits(capture.trace, steps, LaunchesOf(work, neighbours.next), marked.thread)
                        : StepWaits{std::vector<bool>(steps.size()), false, Loop::kUnknown};
  const StepPeriods last = blocks ? BlockPeriods(marked.marks, work, periods) : WithWhatHeldUp(periods);
  std::vector<Completeness> completeness = blocks ? CompletenessOfBlocks(steps, capture.unfinished)
                                                  : FindCompleteness(marked.marks, steps, periods);
  const bool host_ahead = !waits.waits && (waits.loop == Loop::kAsynchronous || waits.loop == Loop::kUnknown);
  // No step before it held up a step that is alone: what was launched for it began behind its annotation.
  const bool alone = steps.size() == 1 && marked.source != StepSource::kInferred;
  if (!blocks && (alone || !host_ahead)) completeness = WithKnownBegins(steps, std::move(completeness));

  MadeSeries made;
  StepSeries& series = made.series;
  series.source = marked.source;
  series.thread = marked.thread;
  series.waits = waits.waits;
  series.loop = waits.loop;
  series.steps = StepsOf(marked, host, work, last);
  const std::vector<bool> compiles = CompilesIn(marked.marks, capture.compile_calls);
  for (size_t s = 0; s < steps.size(); ++s) {
    series.steps[s].completeness = completeness[s];
    series.steps[s].waited = waits.waited[s];
    series.steps[s].compiles = compiles[s];
  }
  const std::vector<bool> outliers = FindOutliers(series.steps);
  for (size_t s = 0; s < steps.size(); ++s) series.steps[s].outlier = outliers[s];
  for (size_t d = 0; d < work.size(); ++d) {
    made.work = SaturatedSum(made.work, work[d].busy);
    series.outside.push_back(work[d].outside);
    series.left_out.push_back(last[d].excluded_time);
  }
  if (inferred) series.of_others = ForeignWork(capture, marked, series.steps);
  return made;
}

// Of one kind of annotations, or of one capture block.
MadeSeries AnnotatedSeries(const Capture& capture, const std::map<std::string, std::vector<StepMark>>& all,
                           const std::string& name) {
  const std::vector<StepMark>& marks = all.at(name);
  std::vector<StepMark> others;
  for (const auto& [other, theirs] : all) {
    if (other != name) others.insert(others.end(), theirs.begin(), theirs.end());
  }
  const StepSource source = marks.front().block ? StepSource::kBlocks : StepSource::kAnnotations;
  MadeSeries made =
      MakeSeries(capture, {source, marks, others, WorkOwners(capture.trace, marks, others).Of(capture.work)});
  made.series.name = name;
  return made;
}

MadeSeries InferredSeries(const Capture& capture, const InferredSteps& found) {
  const bool by_run = !found.owner.empty();
  MadeSeries made = MakeSeries(
      capture,
      {StepSource::kInferred, found.marks, found.others,
       by_run ? OwnersOfRuns(found) : WorkOwners(capture.trace, found.marks, found.others).Of(capture.work),
       found.host_known, by_run, found.thread});
  made.series.name = found.program;
  made.series.launches = found.launches;
  made.series.note = found.note;
  return made;
}

// Whether what was inferred are steps, not calls that only queue work.
bool AreSteps(const StepSeries& series, const InferredSteps& found) {
  const auto worked = static_cast<size_t>(std::ranges::count_if(series.steps, &Step::has_work));
  const size_t idle = series.steps.size() - worked;
  return !found.by_calls || worked == 0 || idle <= 1 + series.steps.size() / kIdleOneIn;
}

// The one that the capture is about first.
std::vector<StepSeries> InOrder(std::vector<MadeSeries> all) {
  std::ranges::stable_sort(all, std::greater(), [](const MadeSeries& made) {
    // What a run is about are not its evaluations, however long they take.
    const bool main = made.work > Ps() && !NamesEvaluation(made.series.name);
    return std::tuple(main, made.work, made.series.steps.size());
  });
  // A block around others, with little work besides, says less than they do.
  const auto inner = std::ranges::find_if(all, [&](const MadeSeries& made) {
    return made.series.blocks() && made.series.steps.size() > all[0].series.steps.size() &&
           made.work * 10 >= all[0].work * kInnerWorkTenths;
  });
  if (inner != all.end() && all[0].series.blocks()) std::rotate(all.begin(), inner, inner + 1);
  std::vector<StepSeries> series;
  for (MadeSeries& made : all) series.push_back(std::move(made.series));
  return series;
}

}  // namespace

std::vector<StepSeries> FindSteps(const Trace& trace, const std::vector<Device>& devices,
                                  const HostWorkItems& work) {
  Capture capture{trace, work, CompileCalls(trace)};
  const std::map<std::string, std::vector<StepMark>> annotations = FindStepMarks(trace);
  const auto blocks = [](const auto& marks) { return marks.second.front().block; };
  if (std::ranges::any_of(annotations, blocks)) capture.unfinished = FindUnfinishedLaunches(trace);
  std::vector<MadeSeries> all;
  for (const auto& [name, marks] : annotations) all.push_back(AnnotatedSeries(capture, annotations, name));
  const auto any = [&](auto is) { return std::ranges::any_of(all, is, &MadeSeries::series); };
  const bool any_work = std::ranges::any_of(work, [](const auto& items) { return !items.empty(); });
  // A capture begun inside a loop that never waits may hold annotations of some steps and the work of others.
  const bool others_work = !all.empty() && any_work && !any(&StepSeries::has_work);
  if (all.empty() || (others_work && !any(&StepSeries::blocks))) {
    if (const std::optional<InferredSteps> found = InferSteps(trace, devices, work)) {
      MadeSeries made = InferredSeries(capture, *found);
      const bool useful = made.series.has_work() || !others_work;
      if (useful && AreSteps(made.series, *found)) all.push_back(std::move(made));
    }
  }
  return InOrder(std::move(all));
}

}  // namespace gait::analyze

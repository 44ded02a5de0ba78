#include "gait/analyze/question/host/input_split.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gait/analyze/time/durations.h"
#include "gait/analyze/view/inferred_waits.h"

namespace gait::analyze {
namespace {

constexpr int64_t kLittle = 10;  // a tenth

bool BeginsWith(const Track& thread, Ps t, StringId name) {
  for (size_t i = thread.LowerBound(t).value; i < thread.size() && thread.begin(EventIndex(i)) == t; ++i) {
    if (thread.name(EventIndex(i)) == name) return true;
  }
  return false;
}

// Whether the host calls again at the end of an inferred step what it called at its begin: the next step.
bool BeginsAgain(const Trace& trace, Interval step) {
  for (const Track& track : trace.tracks()) {
    if (track.info().kind != TrackKind::kThread) continue;
    size_t i = track.LowerBound(step.begin).value;
    for (; i < track.size() && track.begin(EventIndex(i)) == step.begin; ++i) {
      if (BeginsWith(track, step.end, track.name(EventIndex(i)))) return true;
    }
  }
  return false;
}

// Selected steps alone do not say whether there is another one after them.
bool EndsInferredLoop(const HostView& view, const Step& step) {
  if (&step != &view.series[0].steps.back()) return false;
  if (step.host_step.end >= view.trace().span().end) return true;
  return view.series[0].host_known() && !BeginsAgain(view.trace(), step.host_step);
}

// By thread: what lies between the annotations of two steps, in the median.
std::map<TrackId, Ps> MedianGaps(const std::vector<Step>& steps) {
  std::map<TrackId, std::vector<Ps>> gaps;
  for (const Step& step : steps) {
    if (step.alone) continue;
    const Ps gap = step.host_step.end - step.host.end;
    gaps[step.thread].push_back(std::max(gap, -gap));
  }
  std::map<TrackId, Ps> medians;
  for (auto& [thread, all] : gaps) medians[thread] = Median(std::move(all));
  return medians;
}

// By step with device work: where it begins on its thread, with the steps right before it that have none.
// Their time is its own, as on the device, which is done with nothing in between.
std::map<const Step*, Ps> Begins(const std::vector<Step>& steps) {
  std::map<const Step*, Ps> begins;
  std::map<TrackId, Ps> without_work;  // by thread: where the first of them begins
  for (const Step& step : steps) {
    if (step.no_work()) {
      without_work.try_emplace(step.thread, step.host_step.begin);
      continue;
    }
    const auto before = without_work.extract(step.thread);
    begins[&step] = before ? before.mapped() : step.host_step.begin;
  }
  return begins;
}

}  // namespace

std::vector<HostStepSplit> WithoutParts(const HostView& view, const std::vector<const Step*>& steps) {
  std::vector<HostStepSplit> splits;
  if (steps.empty()) return splits;
  const bool inferred = view.series[0].inferred();
  const std::map<TrackId, Ps> gaps = inferred ? std::map<TrackId, Ps>() : MedianGaps(view.series[0].steps);
  const std::map<const Step*, Ps> begins = Begins(view.series[0].steps);
  std::map<TrackId, Ps> reached;
  for (const Step* step : steps) {
    HostStepSplit& split = splits.emplace_back();
    split.number = step->number;
    const auto with = begins.find(step);
    const Ps begin = with != begins.end() ? with->second : step->host_step.begin;
    const auto [before, first] = reached.try_emplace(step->thread, begin);
    split.time.begin = std::max(begin, before->second);
    split.time.end = before->second = std::max(step->host_step.end, split.time.begin);
    split.step = split.time.length();
    const auto gap = gaps.find(step->thread);
    if (inferred) split.counts = !EndsInferredLoop(view, *step);
    if (gap != gaps.end() && step->alone) split.counts = gap->second <= step->host.length() / kLittle;
  }
  if (std::ranges::none_of(splits, &HostStepSplit::counts)) {
    for (HostStepSplit& split : splits) split.counts = true;
  }
  return splits;
}

DeviceMoments::DeviceMoments(const HostView& view, const IntervalSet& staging) {
  IntervalSet working;
  for (const DeviceTime& time : view.times) working = Union(working, time.busy());
  staged = IntervalPrefixSum(Subtract(staging, working));
  IntervalSet inputs;
  for (const AwaitedInput& input : AwaitedInputOf(view)) inputs.push_back(input.time);
  results = IntervalPrefixSum(AwaitedResultsOf(view).times);
  awaited = IntervalPrefixSum(Subtract(Subtract(inputs, working), results.set()));
  results_busy = IntervalPrefixSum(Intersect(results.set(), working));
  busy = IntervalPrefixSum(std::move(working));
}

StepSplitter::StepSplitter(const DeviceMoments& devices, std::vector<HostStepSplit*> steps, bool python)
    : steps_(std::move(steps)), staged_(devices.staged), busy_(devices.busy) {
  if (python) waits_.emplace(devices);
  for (HostStepSplit* split : steps_) {
    split->rest = split->step;
    split->rest_device_busy = devices.busy.Inside(split->time);
    if (waits_) waits_->Take(*split, split->time, 1);
  }
}

void StepSplitter::Waits::Take(HostStepSplit& split, Interval time, int64_t sign) {
  const Ps input = awaited.Inside(time) * sign;
  const Ps result = results.Inside(time) * sign;
  const Ps result_busy = results_busy.Inside(time) * sign;
  split.parts[static_cast<size_t>(HostPart::kFetch)] += input;
  split.parts[static_cast<size_t>(HostPart::kWait)] += result;
  split.device_busy[static_cast<size_t>(HostPart::kWait)] += result_busy;
  split.rest -= input + result;
  split.rest_device_busy -= result_busy;
}

void StepSplitter::Count() {
  if (part_ == HostPart::kNone) return;
  while (next_ < steps_.size() && steps_[next_]->time.end <= time_.begin) ++next_;
  for (size_t s = next_; s < steps_.size() && steps_[s]->time.begin < time_.end; ++s) {
    HostStepSplit& split = *steps_[s];
    const Interval inside{std::max(time_.begin, split.time.begin), std::min(time_.end, split.time.end)};
    if (waits_) waits_->Take(split, inside, -1);  // they are of time that has no part
    const Ps waits_for_data = part_ == HostPart::kDispatch ? staged_.Inside(inside) : Ps();
    split.parts[static_cast<size_t>(HostPart::kToDevice)] += waits_for_data;
    split.parts[static_cast<size_t>(part_)] += inside.length() - waits_for_data;
    split.rest -= inside.length();
    const Ps busy_inside = busy_.Inside(inside);
    split.device_busy[static_cast<size_t>(part_)] += busy_inside;
    split.rest_device_busy -= busy_inside;
  }
}

}  // namespace gait::analyze

#include "gait/analyze/host/input_split.h"

#include <algorithm>

namespace gait::analyze {

StepSplitter::StepSplitter(const HostView& view, const IntervalSet& staging, std::vector<const Step*> steps)
    : steps_(std::move(steps)) {
  IntervalSet busy;
  for (const DeviceTime& time : view.times) busy = Union(busy, time.busy());
  staged_ = MeasuredSet(Subtract(staging, busy));
  device_ = MeasuredSet(std::move(busy));
  for (const Step* step : steps_) {
    HostStepSplit& split = result_.emplace_back();
    split.number = step->number;
    split.step = step->host_step.length();
    split.rest = split.step;
    split.rest_device_busy = device_.Inside(step->host_step);
  }
}

void StepSplitter::Count() {
  if (part_ == HostPart::kNone) return;
  while (next_ < steps_.size() && steps_[next_]->host_step.end <= time_.begin) ++next_;
  for (size_t s = next_; s < steps_.size() && steps_[s]->host_step.begin < time_.end; ++s) {
    const Interval window = steps_[s]->host_step;
    const Interval inside{std::max(time_.begin, window.begin), std::min(time_.end, window.end)};
    const Ps waits_for_data = part_ == HostPart::kDispatch ? staged_.Inside(inside, near_staged_) : Ps();
    HostStepSplit& split = result_[s];
    split.parts[static_cast<size_t>(HostPart::kToDevice)] += waits_for_data;
    split.parts[static_cast<size_t>(part_)] += inside.length() - waits_for_data;
    split.rest -= inside.length();
    const Ps busy_inside = device_.Inside(inside, near_device_);
    split.device_busy[static_cast<size_t>(part_)] += busy_inside;
    split.rest_device_busy -= busy_inside;
  }
}

std::vector<HostStepSplit> StepSplitter::Finish() && {
  Count();
  return std::move(result_);
}

}  // namespace gait::analyze

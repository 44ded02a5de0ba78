#include "gait/analyze/host/input_split.h"

#include <algorithm>

#include "gait/analyze/measured_set.h"

namespace gait::analyze {

std::vector<HostStepSplit> SplitSteps(const HostView& view, const std::vector<OwnedSlice>& slices,
                                      const IntervalSet& staging, const std::vector<const Step*>& steps) {
  IntervalSet busy;
  for (const DeviceTime& time : view.times) busy = Union(busy, time.busy());
  const MeasuredSet staged(Subtract(staging, busy));
  const MeasuredSet device(std::move(busy));
  std::vector<HostStepSplit> result;
  size_t near = 0;
  size_t near_staged = 0;
  size_t next = 0;  // the first slice that may reach into the step
  for (const Step* step : steps) {
    const Interval window = step->host_step;
    HostStepSplit split;
    split.number = step->number;
    split.step = window.length();
    split.rest = split.step;
    split.rest_device_busy = device.Inside(window);
    while (next < slices.size() && slices[next].time.end <= window.begin) ++next;
    for (size_t i = next; i < slices.size() && slices[i].time.begin < window.end; ++i) {
      const OwnedSlice& slice = slices[i];
      if (slice.part == HostPart::kNone) continue;
      const Interval inside{std::max(slice.time.begin, window.begin), std::min(slice.time.end, window.end)};
      const Ps waits_for_data = slice.part == HostPart::kDispatch ? staged.Inside(inside, near_staged) : Ps();
      split.parts[static_cast<size_t>(HostPart::kToDevice)] += waits_for_data;
      split.parts[static_cast<size_t>(slice.part)] += inside.length() - waits_for_data;
      split.rest -= inside.length();
      const Ps busy_inside = device.Inside(inside, near);
      split.device_busy[static_cast<size_t>(slice.part)] += busy_inside;
      split.rest_device_busy -= busy_inside;
    }
    result.push_back(split);
  }
  return result;
}

}  // namespace gait::analyze

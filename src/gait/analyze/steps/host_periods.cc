#include "gait/analyze/steps/host_periods.h"

#include <algorithm>
#include <map>

namespace gait::analyze {
namespace {

// Whether the thread began others before it and others after it.
bool IsAmong(const StepMark& mark, const std::vector<StepMark>& others) {
  bool before = false;
  bool after = false;
  for (const StepMark& other : others) {
    if (other.thread != mark.thread) continue;
    (other.host.begin < mark.host.begin ? before : after) = true;
  }
  return before && after;
}

}  // namespace

OtherKinds FindOtherKinds(const std::vector<StepMark>& marks, const std::vector<StepMark>& others,
                          const std::vector<DeviceStepWork>& work) {
  OtherKinds kinds;
  kinds.around = !marks.empty() && IsAmong(marks.front(), others);
  std::map<TrackId, std::vector<Ps>> ends;
  for (const StepMark& other : others) ends[other.thread].push_back(other.host.end);
  for (auto& [thread, of_thread] : ends) std::ranges::sort(of_thread);
  for (size_t s = 0; s < marks.size(); ++s) {
    kinds.followed.push_back(std::ranges::any_of(
        work, [&](const DeviceStepWork& device) { return device.steps[s].after.other_kind; }));
    kinds.before.emplace_back();
    const bool same_thread = s > 0 && marks[s - 1].thread == marks[s].thread;
    if (s == 0 ? !kinds.around : !same_thread || !kinds.followed[s - 1]) continue;
    const std::vector<Ps>& of_thread = ends[marks[s].thread];
    const auto after = std::ranges::upper_bound(of_thread, marks[s].host.begin);
    if (after != of_thread.begin()) kinds.before[s] = *std::prev(after);
  }
  return kinds;
}

std::vector<HostPeriod> HostPeriods(const std::vector<StepMark>& marks, const std::vector<Ps>& next,
                                    const OtherKinds& kinds) {
  std::vector<HostPeriod> periods;
  for (size_t s = 0; s < marks.size(); ++s) {
    HostPeriod& period = periods.emplace_back(marks[s].host);
    if (marks[s].block) continue;
    if (next[s] < kMaxTime && !kinds.followed[s]) period = {{marks[s].host.begin, next[s]}, false};
    // A step behind another kind begins where that ended, as it does on the device.
    if (const std::optional<Ps> end = kinds.before[s])
      period.time.begin = s > 0 ? std::max(*end, marks[s - 1].host.end) : *end;
  }
  return periods;
}

}  // namespace gait::analyze

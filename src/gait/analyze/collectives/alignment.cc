#include "gait/analyze/collectives/alignment.h"

#include <algorithm>
#include <functional>
#include <map>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

// The executions on one set of devices.
struct Group {
  std::vector<size_t> devices;
  std::vector<std::vector<Ps>> skews;  // by device of the group
  std::vector<Ps> offset;              // relative to the group's mean

  size_t samples() const { return skews[0].size(); }
};

// Integer mean without overflow.
Ps MeanEnd(const CommonEnd& execution) {
  Int128 sum = 0;
  for (const EndOnDevice& e : execution) sum += e.end.value();
  return Ps(static_cast<int64_t>(sum / static_cast<Int128>(execution.size())));
}

std::vector<Group> GroupsOf(const std::vector<CommonEnd>& executions) {
  std::map<std::vector<size_t>, Group> by_devices;
  std::vector<size_t> devices;
  for (const CommonEnd& execution : executions) {
    if (execution.size() < 2) continue;
    devices.clear();
    for (const EndOnDevice& e : execution) devices.push_back(e.device);
    Group& group = by_devices[devices];
    group.skews.resize(devices.size());
    const Ps mean = MeanEnd(execution);
    for (size_t i = 0; i < execution.size(); ++i)
      group.skews[i].push_back(Difference(execution[i].end, mean));
  }
  std::vector<Group> groups;
  for (auto& [members, group] : by_devices) {
    group.devices = members;
    for (const std::vector<Ps>& skews : group.skews) group.offset.push_back(Median(skews));
    groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, std::greater<>(), &Group::samples);
  return groups;
}

Ps Spread(const std::vector<Ps>& skews, Ps middle) {
  std::vector<Ps> distances;
  distances.reserve(skews.size());
  for (const Ps skew : skews) distances.push_back(skew < middle ? middle - skew : skew - middle);
  return Median(std::move(distances));
}

class Placing {
 public:
  Placing(size_t devices, std::vector<Group> groups) : offsets_(devices), groups_(std::move(groups)) {
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (const size_t device : groups_[g].devices) of_device_[device].push_back(g);
    }
  }

  std::vector<ClockOffset> Run() && {
    std::vector<bool> placed(groups_.size());
    uint32_t component = 0;
    for (size_t seed = 0; seed < groups_.size(); ++seed) {
      if (placed[seed]) continue;
      // From the seed to what it touches: a queue of groups, each placed by what was placed before it.
      std::vector<size_t> queue = {seed};
      placed[seed] = true;
      for (size_t i = 0; i < queue.size(); ++i) {
        Place(groups_[queue[i]], component);
        for (const size_t device : groups_[queue[i]].devices) {
          for (const size_t next : of_device_[device]) {
            if (!placed[next]) queue.push_back(next);
            placed[next] = true;
          }
          of_device_[device].clear();
        }
      }
      ++component;
    }
    for (ClockOffset& offset : offsets_) {
      if (offset.samples == 0) offset.component = component++;
    }
    StartAtZero(component);
    return std::move(offsets_);
  }

 private:
  void Place(const Group& group, uint32_t component) {
    std::vector<Ps> shifts;
    for (size_t i = 0; i < group.devices.size(); ++i) {
      const ClockOffset& known = offsets_[group.devices[i]];
      if (known.samples > 0) shifts.push_back(Difference(known.offset, group.offset[i]));
    }
    const Ps shift = Median(std::move(shifts));
    for (size_t i = 0; i < group.devices.size(); ++i) {
      ClockOffset& offset = offsets_[group.devices[i]];
      if (offset.samples > 0) continue;
      offset = {Difference(group.offset[i], -shift), Spread(group.skews[i], group.offset[i]), group.samples(),
                component};
    }
  }

  void StartAtZero(uint32_t components) {
    std::vector<Ps> first(components);
    std::vector<bool> seen(components);
    for (ClockOffset& offset : offsets_) {
      if (!seen[offset.component]) first[offset.component] = offset.offset;
      seen[offset.component] = true;
      offset.offset = Difference(offset.offset, first[offset.component]);
    }
  }

  std::vector<ClockOffset> offsets_;
  std::vector<Group> groups_;
  std::map<size_t, std::vector<size_t>> of_device_;  // groups that have the device
};

}  // namespace

std::vector<ClockOffset> AlignClocks(size_t devices, const std::vector<CommonEnd>& executions) {
  return Placing(devices, GroupsOf(executions)).Run();
}

}  // namespace gait::analyze

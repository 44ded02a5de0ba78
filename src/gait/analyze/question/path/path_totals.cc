#include "gait/analyze/question/path/path_totals.h"

#include <algorithm>

namespace gait::analyze {
namespace {

// What one device has of the paths.
struct DeviceSum {
  int64_t count = 1;
  Ps time;
  Ps overlap;
  Ps communication;

  Ps Mean(Ps sum) const { return sum / count; }
};

// Devices that meet in collectives, or whose host waits for all of them in each step, take as long as the one
// with most to do: none finishes its steps sooner. Others are each for themselves.
Ps PerfectOverlap(const std::vector<DeviceSum>& devices, bool waits, int64_t portions) {
  Ps sum;
  Ps most;
  for (const DeviceSum& device : devices) {
    sum += device.overlap;
    most = std::max(most, device.Mean(device.overlap));
  }
  const bool meet = std::ranges::all_of(devices, [&](const DeviceSum& device) {
    return (waits || device.communication > Ps()) && device.Mean(device.time) >= most;
  });
  return meet ? most : sum / portions;
}

bool IsOneWaitingLoop(const HostView& view) {
  if (view.series.empty() || !view.series[0].waits) return false;
  const std::vector<Step>& steps = view.series[0].steps;
  return std::ranges::all_of(steps, [&](const Step& step) { return step.thread == steps[0].thread; });
}

}  // namespace

PathTotals TotalsOf(const std::vector<HostPath>& hosts, int64_t portions) {
  PathTotals sum;
  sum.count = portions;
  std::vector<DeviceSum> devices;
  for (const HostPath& host : hosts) {
    for (const std::vector<WorkItem>& work : host.view->work) {
      sum.calls |= std::ranges::any_of(work, &WorkItem::has_call);
    }
    std::vector<DeviceSum> of_host(host.view->devices.size());
    for (const StepPath& path : host.paths) {
      sum.steps |= path.step != nullptr;
      sum.time += path.length;
      DeviceSum& device = of_host[path.device];
      device.time += path.length;
      device.overlap += path.device_work.PerfectOverlap();
      device.communication += path.device_work.communication;
      sum.free_host += path.Without({PathClass::kLaunch, PathClass::kHost, PathClass::kInput,
                                     PathClass::kCompile, PathClass::kHostSync});
      for (size_t c = 0; c < kPathClasses; ++c) {
        sum.by[c] += path.by[c];
        sum.without[c] += path.Without({static_cast<PathClass>(c)});
      }
    }
    for (size_t d = 0; d < of_host.size(); ++d) {
      of_host[d].count = std::max<int64_t>(host.view->device_steps[d], 1);
      if (of_host[d].time > Ps()) devices.push_back(of_host[d]);
    }
  }
  // Steps of several threads are each for themselves, and hosts too.
  const bool waits = hosts.size() == 1 && IsOneWaitingLoop(*hosts[0].view);
  sum.perfect_overlap = PerfectOverlap(devices, waits, portions);
  return sum;
}

std::vector<PathBound> BoundsOf(const PathTotals& sum) {
  return {{"free_input", "input is free", sum.Mean(sum.without[Index(PathClass::kInput)]), true},
          {"free_launch", "launches are free", sum.Mean(sum.without[Index(PathClass::kLaunch)]), true},
          {"free_host", "the host is free", sum.Mean(sum.free_host), true},
          {"perfect_overlap", "perfect device overlap", sum.perfect_overlap, false}};
}

}  // namespace gait::analyze

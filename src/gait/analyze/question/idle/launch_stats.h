// Launches: how long work waits between its launch and its begin, and how many launches wait at a time.
//
//   delay   of a launch: max(0, first begin on the device - end of the call)
//   depth   of a device's queue at a time: launches whose call has begun, and whose first work has not
//
// A graph launch is one launch with one node for each piece of work; nodes after the first change neither
// delay nor depth. The same holds for a program's launch on a CPU or TPU. A launch counts in the window in
// which its work began. Depth is weighted by time over the windows. Quantiles are exact: the smallest value
// that reaches the share.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

enum class LaunchKind : uint8_t { kKernel, kGraph, kCopy, kProgram };
std::string_view Name(LaunchKind kind);  // "kernel", "graph", "copy", "program"

struct Distribution {
  Ps mean, p50, p90, p99, max;
};

struct LaunchStats {
  LaunchKind kind;
  uint64_t launches = 0;
  uint64_t nodes = 0;  // pieces of work they started
  Distribution call;   // how long the calls took
  Distribution delay;
};

struct QueueDepth {
  double mean = 0;
  int64_t p50 = 0, p90 = 0, p99 = 0, max = 0;
  Ps empty;  // time during which nothing waited
  Ps window;
};

struct DeviceLaunches {
  std::vector<LaunchStats> kinds;  // those there are
  QueueDepth queue;
};

std::vector<DeviceLaunches> FindLaunches(const HostView& view,
                                         const HostWorkItems& work);  // by device; O(launches log launches)

}  // namespace gait::analyze

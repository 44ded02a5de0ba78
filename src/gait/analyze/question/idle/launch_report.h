// Launches and queues as tables.
#pragma once

#include <vector>

#include "gait/analyze/question/idle/launch_stats.h"
#include "gait/report/table.h"

namespace gait::analyze {

struct HostLaunches {
  const HostView* view;
  std::vector<DeviceLaunches> devices;
};

inline constexpr const char* kAboutDeviceHost = "host of the device";

report::Table LaunchesTable(const std::vector<HostLaunches>& hosts);
report::Table QueueTable(const std::vector<HostLaunches>& hosts);

}  // namespace gait::analyze

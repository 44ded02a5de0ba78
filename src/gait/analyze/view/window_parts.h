// What devices did in the windows of a view, the time that its numbers cover.
#pragma once

#include <cstddef>

#include "gait/analyze/device/partition.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

inline Partition WindowParts(const HostView& view, size_t device) {
  Partition parts;
  for (const Interval window : view.windows[device]) parts += view.times[device].Split(window);
  return parts;
}

// Of all devices together.
inline Partition WindowParts(const RunView& view) {
  Partition parts;
  for (const HostView& host : view.hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) parts += WindowParts(host, d);
  }
  return parts;
}

}  // namespace gait::analyze

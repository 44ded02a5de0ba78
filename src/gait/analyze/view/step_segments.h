// The windows of a device, cut at its steps.
#pragma once

#include <vector>

#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// A part of a window that belongs to one step of the first series, or to none.
struct StepSegment {
  Interval time;
  const Step* step;  // null: there are no steps
};

// The segments in order of time; their union is the device's windows.
std::vector<StepSegment> StepSegments(const HostView& view, size_t device);

}  // namespace gait::analyze

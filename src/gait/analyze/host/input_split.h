// Where the host's time of a step went: the input pipeline.
//
//   host step   from the begin of a step's annotation to the begin of the next one's; of the last step, its
//               annotation
//   part(t)     on the main thread: that of the innermost event around t which has one (host_part.h): fetch,
//               to device, dispatch, compile, wait, collect (garbage). Dispatch while no device works and
//               another thread of the runtime brings data to one is to device: a call that waits for its
//               arguments.
//   rest        time of no part: loops of one's own, Python without an annotation, and waiting that no event
//               shows
//
// Identity: fetch + to device + dispatch + compile + wait + collect + rest = host step, exactly.
#pragma once

#include <array>
#include <vector>

#include "gait/analyze/host/thread_sweep.h"
#include "gait/analyze/view.h"

namespace gait::analyze {

struct HostStepSplit {
  int64_t number = 0;
  Ps step;
  std::array<Ps, kHostParts> parts{};
  std::array<Ps, kHostParts> device_busy{};  // of the part, while a device of the host worked
  Ps rest;
  Ps rest_device_busy;  // likely waiting for the device
};

// `slices` are those of the main thread, `staging` is when others bring data to the device; `steps` are in
// order and do not overlap.
std::vector<HostStepSplit> SplitSteps(const HostView& view, const std::vector<OwnedSlice>& slices,
                                      const IntervalSet& staging, const std::vector<const Step*>& steps);

}  // namespace gait::analyze

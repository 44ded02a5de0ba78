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
#include "gait/analyze/measured_set.h"
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

class StepSplitter {
 public:
  // `staging` is when threads other than the main one bring data to the device; `steps` are in order and do
  // not overlap.
  StepSplitter(const HostView& view, const IntervalSet& staging, std::vector<const Step*> steps);

  // A slice of the main thread, in order of time.
  void Add(const OwnedSlice& slice) {
    // What goes on as the same part counts as one.
    if (slice.part == part_ && slice.time.begin == time_.end) {
      time_.end = slice.time.end;
      return;
    }
    Count();
    time_ = slice.time;
    part_ = slice.part;
  }
  std::vector<HostStepSplit> Finish() &&;

 private:
  void Count();

  MeasuredSet device_;  // when one works
  MeasuredSet staged_;  // when none does and data is brought
  std::vector<const Step*> steps_;
  std::vector<HostStepSplit> result_;
  size_t near_staged_ = 0;
  size_t near_device_ = 0;
  size_t next_ = 0;  // the first step that a slice may reach into
  Interval time_;    // what is not counted yet
  HostPart part_ = HostPart::kNone;
};

}  // namespace gait::analyze

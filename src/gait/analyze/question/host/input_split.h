// Where the host's time of a step went: the input pipeline.
//
//   host step   from the begin of a step's annotation to the begin of the next one's on its thread; of the
//               thread's last step, and where it launches for another kind of steps after it, its annotation.
//               After another kind it begins where that ended.
//   part(t)     on the step's thread, the main one where steps are inferred: that of the innermost event
//               around t which has one (host_part.h): fetch, to device, dispatch, compile, wait, collect
//               (garbage). Dispatch while no device works and another thread of the runtime brings data to
//               one is to device: a call that waits for its arguments.
//               Time of no part while no device works and the thread waits for input that another one makes
//               (inferred_waits.h) is fetch, and while it waits for several devices wait.
//   rest        time of no part: loops of one's own, Python without an annotation, and waiting that no event
//               shows
//   counts      A thread's last step lacks what the others have between their annotation and the next, a
//               loader say, or has too much where annotations overlap: it counts where that, in the median,
//               is a tenth of it at most. An inferred one lasts until something else is launched or the
//               capture ends: where it ended is not known, and it does not count. Where no step would, all
//               do.
//
// Identity: fetch + to device + dispatch + compile + wait + collect + rest = host step, exactly; none is
// negative. Host steps of one thread do not overlap, those of several may.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gait/analyze/question/host/thread_sweep.h"
#include "gait/analyze/time/interval_prefix_cursor.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct HostStepSplit {
  int64_t number = 0;
  Interval time;
  bool counts = true;  // in sums and means
  Ps step;             // length of `time`
  std::array<Ps, kHostParts> parts{};
  std::array<Ps, kHostParts> device_busy{};  // of the part, while a device of the host worked
  Ps rest;
  Ps rest_device_busy;  // likely waiting for the device
};

// Those of `steps`, which are in order, as yet without parts: their times, and which count.
std::vector<HostStepSplit> WithoutParts(const HostView& view, const std::vector<const Step*>& steps);

// When the devices of a host are at work, and when data is brought to them instead.
struct DeviceMoments {
  // `staging` is when threads that run no loop bring data to the device.
  DeviceMoments(const HostView& view, const IntervalSet& staging);

  IntervalPrefixSum busy;
  IntervalPrefixSum staged;   // while none works
  IntervalPrefixSum results;  // of several devices are awaited by the Python thread
  IntervalPrefixSum results_busy;
  IntervalPrefixSum awaited;  // input, by the Python thread, while none works; never with results
};

// Finds the parts of the steps of one thread.
class StepSplitter {
 public:
  // `devices` must outlive it. `steps` are in order and do not overlap; their parts are filled in. `python`:
  // it is the Python thread's.
  StepSplitter(const DeviceMoments& devices, std::vector<HostStepSplit*> steps, bool python);

  // A slice of the thread, in order of time.
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
  void Finish() { Count(); }

 private:
  // What the Python thread waits for in time that has no part.
  struct Waits {
    explicit Waits(const DeviceMoments& devices)
        : awaited(devices.awaited), results(devices.results), results_busy(devices.results_busy) {}
    // Moves the waits of the time from the rest to their parts, with `sign` -1 back.
    void Take(HostStepSplit& split, Interval time, int64_t sign);

    IntervalPrefixCursor awaited;
    IntervalPrefixCursor results;
    IntervalPrefixCursor results_busy;
  };

  void Count();

  std::vector<HostStepSplit*> steps_;
  std::optional<Waits> waits_;
  IntervalPrefixCursor staged_;
  IntervalPrefixCursor busy_;
  size_t next_ = 0;  // the first step that a slice may reach into
  Interval time_;    // what is not counted yet
  HostPart part_ = HostPart::kNone;
};

}  // namespace gait::analyze

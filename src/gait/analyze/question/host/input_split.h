// Where the host's time of a step went: the input pipeline.
//
//   host step   from the begin of a step's annotation to the begin of the next annotation on its thread. For
//               the thread's last step, and for a step after which the thread launches for another kind of
//               steps: the annotation itself. After steps of another kind, a host step begins where these
//               ended.
//   part(t)     the part of the innermost event around t that has a part (host_part.h): fetch, to device,
//               dispatch, compile, wait, collect (garbage). Events of the step's thread count, of the main
//               thread where steps are inferred. Dispatch is to device while no device works and another
//               thread of the runtime brings data to a device: the call waits for its arguments. Time without
//               a part is fetch while no device works and the thread waits for input of another thread
//               (inferred_waits.h), and wait while the thread waits for several devices.
//   rest        time without a part: the program's own loops, Python without an annotation, and waiting that
//               no event shows
//   counts      which host steps count. A thread's last step lacks the time that other steps have between
//               their annotation and the next (a loader, say), or has too much where annotations overlap. It
//               counts if the median of that time is a tenth of the step or less. The last inferred step
//               lasts until something else is launched or the capture ends: where it ended is not known, and
//               it does not count. Where no step would count, all do.
//
// Identity: fetch + to device + dispatch + compile + wait + collect + rest = host step, exactly; no part is
// negative. Host steps of one thread do not overlap; host steps of several threads may.
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

// The host steps of `steps`, which are in order: their times, and which of them count. The parts are still
// empty.
std::vector<HostStepSplit> WithoutParts(const HostView& view, const std::vector<const Step*>& steps);

// When the devices of a host work, and when the host brings data to devices that do not work.
struct DeviceMoments {
  // `staging` holds the times at which threads without a loop bring data to the device.
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
  // `devices` must outlive the splitter. `steps` are in order and do not overlap; the splitter fills in their
  // parts. `python`: the steps are the Python thread's.
  StepSplitter(const DeviceMoments& devices, std::vector<HostStepSplit*> steps, bool python);

  // Adds a slice of the thread. To be called in order of time.
  void Add(const OwnedSlice& slice) {
    // Slices of one part that follow each other directly count as one.
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
  // The waits of the Python thread in time without a part.
  struct Waits {
    explicit Waits(const DeviceMoments& devices)
        : awaited(devices.awaited), results(devices.results), results_busy(devices.results_busy) {}
    // Moves the waits inside `time` from the rest to their parts; with `sign` -1, back to the rest.
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

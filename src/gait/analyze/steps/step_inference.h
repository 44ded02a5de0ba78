// Steps of a capture without annotations, from the period at which its programs run. The rules and an example
// of each stand in docs/metrics/step_time.md, "Inferred steps".
//
//   launches   calls of the host with a run_id; else runs on a device; else calls of jitted functions
//   threads    the thread for which devices work longest, and the threads that launch its longest program too
//   period     the smallest number of launches after which the programs of these threads repeat
//   step       the launches of one period, with the rare launches that follow them
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/device/devices.h"
#include "gait/analyze/steps/work_owners.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct InferredSteps {
  static constexpr uint32_t kNoStep = UINT32_MAX;
  static constexpr uint32_t kAfterSteps = kNoStep - 1;  // no step's either: launched when the loop was over

  std::string program;  // that begins a step
  size_t launches = 1;  // of programs, in a step
  std::string note{};   // what else the launches may be
  std::vector<StepMark> marks{};
  std::vector<StepMark> others{};  // from where on the host's launches belong to no step again
  // By device and piece of work: the step of the work, or kNoStep, or kAfterSteps. Empty: work belongs to the
  // last step that had begun when the host launched the work.
  std::vector<std::vector<uint32_t>> owner{};
  TrackId thread{};        // that launches them, where it is one
  bool by_calls = false;   // from calls of jitted functions: they may only queue work for later
  bool host_known = true;  // false: the capture does not hold the calls, marks are times of a device
};

// By device and piece of work. Of steps with an `owner`.
std::vector<std::vector<WorkOwner>> OwnersOfRuns(const InferredSteps& steps);

// nullopt where there is no period. Linear in the events, but for the search for a period: launches times
// periods tried.
std::optional<InferredSteps> InferSteps(const Trace& trace, const std::vector<Device>& devices,
                                        const HostWorkItems& work);

}  // namespace gait::analyze

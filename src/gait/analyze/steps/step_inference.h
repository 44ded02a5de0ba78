// Steps of a capture without annotations, from the period at which its programs run.
//
//   launches   the programs in the order in which they were asked for. Where the host's calls say which run
//              they start (run_id), these calls. Else, on each device, the runs on its own line of programs
//              (modules of a TPU) or the operations that share a run_id (CPU). Else calls of jitted
//              functions.
//   thread     Of the threads that make three launches at least, the one for which devices work longest (most
//              launches, where that is not known) runs the loop, together with those that launch its longest
//              program too: a pool. Work of other threads that launch programs is no step's.
//   program    Launches are compared by function (functions.h): one that is compiled again for other shapes
//              is the same. The host's calls have the name of the program and nothing else to tell.
//   period     the smallest number of launches after which they repeat: a stretch of half of them, and of
//              three periods, at least. One that fits exactly goes before a smaller one that fits, up to the
//              end of the capture, but for one launch in twenty.
//   rare       Programs launched less than once in five steps (an evaluation, a log) are left out when the
//              period is looked for, if what is left is half of all launches, and of the devices' work in the
//              loop. Ten micro-steps and an update look the same; only names tell them apart: what is called
//              an update is not left out, nor is anything where what is left is called a layer or a
//              micro-step. Where both are possible, `note` says the other, also of programs launched less
//              than once in two, where what is left has a tenth of the work.
//   step       from a launch of the period's first program to the next, where the period has it once; else
//              the launches of one period. A rare launch belongs to the step before it. What runs before the
//              loop is no step, nor what follows it.
//   host       of a step: from the outermost call of a jitted function around its first launch, where it may
//              be compiled, to that of the next. A call that made the launch before too begins no step: there
//              it is the launch.
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
  // By device and piece of work: its step, or one of the above. Empty: work belongs to the last step that had
  // begun when the host launched it.
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

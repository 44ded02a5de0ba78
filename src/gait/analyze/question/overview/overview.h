// Overview: a run on one screen. Every number comes from the analysis that defines it; this file only brings
// the numbers together over all devices of the view.
//
// Identity, per device and in sum: compute + exposed communication + exposed copies + unknown + idle =
// window, exactly (partition.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gait/analyze/device/partition.h"
#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/operations/operations.h"
#include "gait/analyze/operations/roofline.h"
#include "gait/analyze/question/compile/compile.h"
#include "gait/analyze/question/memory/memory.h"
#include "gait/analyze/question/transfers/transfers.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/result.h"

namespace gait::analyze {

struct DeviceOverview {
  const HostView* host;
  const Device* device;
  Partition parts;    // of its windows
  int64_t steps = 0;  // that it worked for; 0: there are none
};

// The cost of the profiler itself. The manifest of a capture knows steps that were not captured:
//
//   slower             = captured - uncaptured steps: the difference of the medians or the difference of the
//                        means, whichever is nearer to 0; 0 where the two have different signs. A step that
//                        is slow now and then moves the mean, and steps that alternate move the median: the
//                        profiler causes neither
//   uncaptured         = mean captured step - slower
//   factor             = mean captured step / uncaptured
//   idle without it    = max(0, idle - slower), per step: an estimate. It assumes that the device's work is
//                        as fast with the profiler as without
// Not known where the uncaptured steps are of another kind than the steps of the view, and not from a single
// step: a single step lasts from its annotation to its last result, without the loop's time between two
// results.
//
// Where no manifest knows such steps, `slower` is estimated from what was recorded (recording_cost.h), as far
// as devices idled because of the host; nothing where that is below a hundredth of the step.
struct ProfilerCost {
  Ps captured;
  Ps uncaptured;
  PsRange slower{};              // at least, at most
  std::string estimated_from{};  // "512 Python calls a step"; empty: measured
  double factor = 1;
  Ps idle;             // per step
  Ps idle_without_it;  // per step, estimated

  bool is_estimate() const { return !estimated_from.empty(); }
};

struct Overview {
  const StepSeries* series = nullptr;     // of the first host that has steps; null: no steps
  std::optional<StepStatistics> steps;    // of that series on all hosts
  std::optional<StepStatistics> on_host;  // where no device worked: of the annotations
  std::string a_step;                     // "a step", or of which kind
  bool unknown_steps = false;             // devices worked, but for no annotated step
  bool of_program = false;                // of each step only the time of a selected program counts
  bool outside_steps = false;             // there are steps, but the selected program ran in none
  std::vector<DeviceOverview> devices;
  std::vector<std::string> without_steps;  // devices that worked, for none of these steps
  Partition total;                         // sum over devices
  TimeByCause idle{};                      // sum over devices; sums to total.idle
  int64_t device_steps = 0;  // what a sum is divided by to get "per step"; 0: there are no steps
  const Operations* operations = nullptr;     // of the view
  std::vector<OpRoof> roofs;                  // by operation
  const Operations* by_host_scope = nullptr;  // the same, told apart by host scopes where there are any
  std::vector<OpRoof> roofs_by_host_scope;    // by operation of these
  StepWork work;
  const TransfersResult* transfers = nullptr;  // of the view
  std::span<const HostMemory> memory;          // by host, of the view
  std::span<const HostCompiles> compiles;      // by host, of the view
  std::optional<ProfilerCost> profiler;
  std::optional<Ps> uncaptured;  // median, where a single step does not compare with it
};

// Linear in the events. An error only for a selection that the parts refuse.
// `given`: peaks of the device that a person gives.
Result<Overview> MakeOverview(const RunView& view, const PeakOverride& given = {});

}  // namespace gait::analyze

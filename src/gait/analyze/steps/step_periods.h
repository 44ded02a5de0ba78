// When each device worked at each step: from the finish of the step before to its own (step_series.h,
// `step`).
//
//   own      each device by itself: a step ends with its last work, the next begins there, or where work of
//            none that came between was done. The time between is excluded from both.
//   idle     a device that has nothing to do in a step takes part until those are done that have
//   common   what ended a step on one device ends it on all
//   kinds    steps of another kind that came between are no part of the next step
//   held     a step lasts until the work of none begins that held up the loop
#pragma once

#include <cstdint>
#include <vector>

#include "gait/analyze/steps/host_periods.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/analyze/steps/work_by_step.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

// Of one device, by step.
struct DevicePeriods {
  std::vector<Interval> time{};  // empty: the device has no part in the step
  std::vector<bool> begin_unknown{};
  // Between the step and the next, of neither because of work of none. Until its begin the loop was held up
  // by what led to that work. Empty: there is none, or what there is lies before the first step or after the
  // last.
  std::vector<Interval> excluded{};
  Ps excluded_time{};  // of all, also before the first step and after the last
};
using StepPeriods = std::vector<DevicePeriods>;  // by device

// `held` is still missing. `work` is by device.
StepPeriods FindPeriods(const std::vector<StepMark>& marks, const std::vector<Ps>& next,
                        const OtherKinds& kinds, const std::vector<DeviceStepWork>& work);

// `held`: the steps with what held up the loop behind them.
StepPeriods WithWhatHeldUp(StepPeriods periods);

// Of entries of a capture block: from when the host went in, or was done with the one before, until it went
// out and all work is done, on each device that worked for it.
StepPeriods BlockPeriods(const std::vector<StepMark>& marks, const std::vector<DeviceStepWork>& work,
                         StepPeriods periods);

}  // namespace gait::analyze

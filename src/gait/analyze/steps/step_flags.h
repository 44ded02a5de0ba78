// What is special about the steps of a series: which are whole, which compile, which are far from the others.
#pragma once

#include <vector>

#include "gait/analyze/device/unfinished.h"
#include "gait/analyze/steps/step_marks.h"
#include "gait/analyze/steps/step_periods.h"
#include "gait/analyze/steps/step_series.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

// By step; the steps have their times. kPartial: the capture begins or ends there, for they are before or
// after all with work, on any device or on one that worked for most, or the last that a device worked for,
// and hold little of the usual.
std::vector<Completeness> FindCompleteness(const std::vector<StepMark>& marks, const std::vector<Step>& steps,
                                           const StepPeriods& periods);
// Of entries of a capture block: whole are those that launched nothing without an end in the capture.
std::vector<Completeness> CompletenessOfBlocks(const std::vector<Step>& steps,
                                               const std::vector<UnfinishedLaunch>& unfinished);

// Of a loop in which the host waits or is behind, or of a single step: there a step begins when the one
// before is done. The first step is known from its annotation on, and lacks what the others have before
// theirs, or has more where annotations overlap: its begin counts as known where that is little of it.
std::vector<Completeness> WithKnownBegins(const std::vector<Step>& steps, std::vector<Completeness> found);

// By step: whether one of the compilations overlaps the host's way to its end.
std::vector<bool> CompilesIn(const std::vector<StepMark>& marks, const std::vector<Interval>& compilations);

// By step.
std::vector<bool> FindOutliers(const std::vector<Step>& steps);

}  // namespace gait::analyze

// The part of a run's timeline that a report shows.
#pragma once

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/intervals.h"
#include "gait/timeline/tracks.h"

namespace gait::html_report {

// Three steps in a row, on the run's clock: around the step of the first finding that has a place, else
// around a typical step (nearest to the median). Without steps the whole capture.
Interval StepWindow(const analyze::RunView& view, const analyze::Diagnosis& diagnosis,
                    const timeline::Timeline& timeline);

}  // namespace gait::html_report

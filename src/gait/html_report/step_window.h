// Which part of a run's timeline a report shows.
#pragma once

#include "gait/analyze/verdict/doctor/diagnosis.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/intervals.h"
#include "gait/timeline/tracks.h"

namespace gait::html_report {

// Three steps in a row: around the one in which the first finding with a place can be seen, else around a
// typical one (nearest to the median). On the run's clock. Without steps the whole capture.
Interval StepWindow(const analyze::RunView& view, const analyze::Diagnosis& diagnosis,
                    const timeline::Timeline& timeline);

}  // namespace gait::html_report

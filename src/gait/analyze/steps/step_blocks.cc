#include "gait/analyze/steps/step_blocks.h"

#include <algorithm>

namespace gait::analyze {

void SpanBlocks(StepSeries& series) {
  Ps reached = -kMaxTime;
  const bool any_work = series.has_work();
  for (Step& step : series.steps) {
    Interval whole{std::max(step.host.begin, reached), step.host.end};
    for (size_t d = 0; d < step.time.size(); ++d) {
      if (step.events[d] > 0) whole.end = std::max(whole.end, step.time[d].end);
    }
    for (size_t d = 0; d < step.time.size(); ++d)
      step.time[d] = step.events[d] > 0 && !whole.empty() ? whole : Interval{};
    step.first = step.partial = false;
    step.no_work = !step.has_work() && any_work;
    step.host_step = step.host;
    step.alone = true;
    if (step.has_work()) reached = std::max(reached, whole.end);
  }
  series.left_out.assign(series.left_out.size(), Ps());
}

}  // namespace gait::analyze

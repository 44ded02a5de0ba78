#include "gait/analyze/view/step_segments.h"

#include <algorithm>

namespace gait::analyze {

std::vector<StepSegment> StepSegments(const HostView& view, size_t d) {
  std::vector<StepSegment> segments;
  if (view.steps == 0 || view.series.empty()) {
    for (const Interval window : view.windows[d]) segments.push_back({window, nullptr});
    return segments;
  }
  size_t w = 0;
  const IntervalSet& windows = view.windows[d];
  for (const Step& step : view.series[0].steps) {
    while (w < windows.size() && windows[w].end <= step.time[d].begin) ++w;
    for (size_t i = w; i < windows.size() && windows[i].begin < step.time[d].end; ++i) {
      const Interval part{std::max(windows[i].begin, step.time[d].begin),
                          std::min(windows[i].end, step.time[d].end)};
      if (!part.empty()) segments.push_back({part, &step});
    }
  }
  return segments;
}

}  // namespace gait::analyze

#include "gait/capture/remote/step_window.h"

#include <algorithm>

namespace gait::capture::remote {

std::optional<int64_t> NextWindow(int64_t wanted, int64_t window_ms, const SeenSteps& seen) {
  if (seen.complete >= wanted && seen.complete <= 3 * wanted + 20) return std::nullopt;
  double next_ms = static_cast<double>(window_ms) * 4;
  if (seen.period) {
    next_ms = (static_cast<double>(wanted + 2) * seen.period->milliseconds() + 50) * 1.2;
    // The same window again would bring as few.
    if (seen.complete < wanted) next_ms = std::max(next_ms, static_cast<double>(window_ms) * 1.5);
  }
  const auto next = static_cast<int64_t>(std::min(next_ms, static_cast<double>(kLongestWindowMs)));
  // Too many steps and no shorter window, or too few and no longer one.
  if (seen.complete >= wanted ? next >= window_ms : next <= window_ms) return std::nullopt;
  return next;
}

}  // namespace gait::capture::remote

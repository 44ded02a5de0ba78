// StepWindow: how long to record so that a number of steps is in the capture. JAX's profiler server knows no
// steps, only time. So a first short capture tells the period of the steps.
//
//   enough    N complete steps, and no more than 3 N + 20: a capture with a hundred times too many is no
//             answer
//   next      (N + 2) periods and 50 ms, with a fifth on top: the first and the last step are cut at the
//             window's ends, and steps take longer while they are recorded. Without a period four times as
//             long
#pragma once

#include <cstdint>
#include <optional>

#include "gait/base/units.h"

namespace gait::capture::remote {

// The steps in a capture; of several hosts, the fewest steps and the longest period.
struct SeenSteps {
  int64_t complete = 0;
  std::optional<Ps> period{};
};

inline constexpr int64_t kFirstWindowMs = 500;
inline constexpr int64_t kLongestWindowMs = 10 * 60 * 1000;
inline constexpr int kMaxWindows = 8;

// The next window to record, in milliseconds, after a window of `window_ms` that held `seen`; nullopt when
// `seen` is enough, or when another window would not help.
std::optional<int64_t> NextWindow(int64_t wanted, int64_t window_ms, const SeenSteps& seen);

}  // namespace gait::capture::remote

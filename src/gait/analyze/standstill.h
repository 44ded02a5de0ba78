// Whether a host thread waited for a device, where no event says so: on a GPU block_until_ready leaves none.
#pragma once

#include <algorithm>

#include "gait/analyze/launches.h"
#include "gait/base/units.h"

namespace gait::analyze {

// Nothing began or ended on the thread from `still` until `edge`: it stood still for kMostLaunchDelay or
// longer until work was done, and went on within that time of it, or a tenth of the standstill, or a quarter
// up to 500 us.
inline bool WokeFor(Ps finish, Ps still, Ps edge) {
  // A thread that is woken is not back in the program at once: 0.19 and 0.26 ms were seen on an H200's
  // host. The bounds were chosen on a few captures from there.
  constexpr Ps kWaking = Microseconds(500);
  const Ps stood = finish - still;
  const Ps soon = std::max({kMostLaunchDelay, stood / 10, std::min(kWaking, stood / 4)});
  return stood >= kMostLaunchDelay && edge - finish <= soon;
}

}  // namespace gait::analyze

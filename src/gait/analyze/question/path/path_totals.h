// The sums over the critical paths of all steps and devices, and how short a step could be.
#pragma once

#include <cstdint>
#include <vector>

#include "gait/analyze/question/path/critical_path.h"
#include "gait/analyze/run/tables.h"

namespace gait::analyze {

// Sums over all paths. "Per step" divides by `count`: a step that takes no time has no path.
struct PathTotals {
  int64_t count = 1;
  bool steps = false;
  bool calls = false;  // the host's calls of some of the work are in the capture
  Ps time;
  TimeByClass by{};
  TimeByClass without{};  // the step, at least, if the class costs nothing
  Ps free_host;           // the same for all classes of the host
  Ps perfect_overlap;     // no sum: the bound

  Ps Mean(Ps sum) const { return sum / count; }
  double Share(Ps part) const { return Percent(part, time); }
};

PathTotals TotalsOf(const std::vector<HostPath>& hosts, int64_t portions);

// A lower bound of the mean step under an assumption.
struct PathBound {
  const char* name;
  const char* about;
  Ps time;
  bool of_host;  // unknown where the capture holds no calls
};
std::vector<PathBound> BoundsOf(const PathTotals& sum);

}  // namespace gait::analyze

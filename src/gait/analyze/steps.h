// Step annotations: StepTraceAnnotation("train", step_num=7) writes a host event with the argument step_num.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/base/units.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// All annotations of one name.
struct AnnotatedSteps {
  std::string name;
  uint64_t count = 0;
  int64_t first = 0;  // smallest and largest step_num
  int64_t last = 0;
  Ps median;  // of the annotations' durations on the host
};

// In the order of first appearance. Linear in the events of host threads; looks at each argument set once.
// `unnumbered` counts annotations whose step_num is no integer.
std::vector<AnnotatedSteps> FindAnnotatedSteps(const Trace& trace, uint64_t* unnumbered = nullptr);

}  // namespace gait::analyze

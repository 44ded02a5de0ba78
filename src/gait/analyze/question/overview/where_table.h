// Where a step goes: the parts of its time, in computation, exposed communication and copies, and idle time.
#pragma once

#include <cstdint>
#include <map>

#include "gait/analyze/device/category.h"
#include "gait/analyze/question/overview/overview.h"
#include "gait/base/units.h"
#include "gait/report/table.h"

namespace gait::analyze {

// Sums over windows as a person says them: per step where there are steps.
struct StepMean {
  int64_t device_steps;

  Ps operator()(Ps sum) const { return device_steps > 0 ? sum / device_steps : sum; }
};

// Sums to the compute of the partition.
std::map<Category, Ps> ComputeByCategory(const Overview& overview);

report::Table WhereTable(const Overview& overview);

}  // namespace gait::analyze

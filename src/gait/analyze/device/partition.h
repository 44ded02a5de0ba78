// Where a device's time went: the time partition.
//
//   compute                = U(compute), and U(control flow) \ all other work: what a loop does between the
//                            operations of its body
//   exposed communication  = U(communication) \ U(compute)
//   exposed copies         = U(copies) \ (U(compute) u U(communication))
//   unknown                = U(unknown) \ all of these: kernels that belong to no program
//   idle                   = window \ U(all work)
// with U the union of the intervals of a class on one device, clipped to the window. Integer picoseconds. An
// asynchronous copy or collective lasts from its start to the end of its done (trace/async_operations.h).
//
// Identity: compute + exposed communication + exposed copies + unknown + idle = window, exactly.
// Hidden communication and hidden copies are counted apart: the parts of their unions that lie under the
// classes above them.
#pragma once

#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/base/intervals.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

struct Partition {
  Ps window;
  Ps compute;
  Ps exposed_communication;
  Ps exposed_copies;
  Ps unknown;
  Ps idle;
  Ps hidden_communication;
  Ps hidden_copies;

  Ps busy() const { return window - idle; }
  Partition& operator+=(const Partition& other);
};

// The work of one device as sets of intervals. O(events) to make, O(log events) per window.
class DeviceTime {
 public:
  explicit DeviceTime(const std::vector<WorkItem>& work = {});

  Partition Split(Interval window) const;
  const IntervalSet& busy() const { return busy_; }
  // Compute, and the control flow that no other work covers.
  const IntervalPrefixSum& compute() const { return compute_; }

 private:
  IntervalPrefixSum compute_, communication_, exposed_communication_, copies_, exposed_copies_, unknown_;
  IntervalSet busy_;
};

}  // namespace gait::analyze

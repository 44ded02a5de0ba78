// Where a device's time went: the time partition.
//
//   compute                = U(compute), and U(control flow) \ all other work: what a loop does between the
//                            operations of its body
//   exposed communication  = U(communication) \ U(compute)
//   exposed copies         = U(copies) \ (U(compute) u U(communication))
//   unknown                = U(unknown) \ all of these: kernels that belong to no program
//   idle                   = window \ U(all work)
// with U the union of the intervals of a class on one device, clipped to the window. Integer picoseconds.
//
// Identity: compute + exposed communication + exposed copies + unknown + idle = window, exactly.
// Beside it, hidden communication and copies: the parts of their unions that lie under what is counted before
// them.
#pragma once

#include <vector>

#include "gait/analyze/devices.h"
#include "gait/analyze/work_class.h"
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

// The work of one device as sets of intervals. O(events log events) to make; then each window costs what it
// holds.
class DeviceTime {
 public:
  DeviceTime(const Trace& trace, const Device& device, const WorkClasses& classes);

  Partition Split(Interval window) const;
  const IntervalSet& busy() const { return busy_; }

 private:
  IntervalSet compute_;  // with what of the control flow nothing else covers
  IntervalSet communication_, copies_, unknown_, busy_;
};

}  // namespace gait::analyze

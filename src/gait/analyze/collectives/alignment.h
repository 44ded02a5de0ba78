// Clock alignment: how much later than the others each device's clock reads.
//
// Collectives like an all-reduce end at the same moment on all their devices. So where the ends differ, the
// clocks differ:
//
//   skew(execution, device)  = end on the device - mean end over the devices of the execution
//   offset(device in group)  = median over the group's executions of the skew
//
// Groups that share devices are joined, beginning with the group with the most executions. A further group is
// shifted: take the devices that it shares with the joined groups, and the differences of their offsets; the
// median of the differences is the shift. Devices that no chain of groups connects cannot be compared; they
// form components of their own.
//
// Unit: picoseconds. Subtract a device's offset from its times to align them. Spread: the median absolute
// deviation of a device's skews from its offset in its group. It tells how far the offset can be trusted.
//
// Identity: times that differ from exact common ends by one constant per device give these constants back, up
// to one constant for each component. The offset of a component's first device is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gait/base/units.h"

namespace gait::analyze {

// The end of one execution on one device.
struct EndOnDevice {
  size_t device = 0;
  Ps end;
};

// One execution of a collective: one end on each of at least two devices, in order of device.
using CommonEnd = std::vector<EndOnDevice>;

struct ClockOffset {
  Ps offset;
  Ps spread;
  uint64_t samples = 0;    // executions that it rests on; 0: none, the offset is unknown
  uint32_t component = 0;  // devices with the same one can be compared
};

// The offsets by device. O(ends log ends).
std::vector<ClockOffset> AlignClocks(size_t devices, const std::vector<CommonEnd>& executions);

// a - b, clamped: a damaged file may hold times whose difference is out of range.
inline Ps Difference(Ps a, Ps b) { return Clamped(static_cast<Int128>(a.value()) - b.value()); }

}  // namespace gait::analyze

#include "gait/analyze/device/partition.h"

#include <array>
#include <utility>

namespace gait::analyze {

Partition& Partition::operator+=(const Partition& other) {
  window += other.window;
  compute += other.compute;
  exposed_communication += other.exposed_communication;
  exposed_copies += other.exposed_copies;
  unknown += other.unknown;
  idle += other.idle;
  hidden_communication += other.hidden_communication;
  hidden_copies += other.hidden_copies;
  return *this;
}

DeviceTime::DeviceTime(const std::vector<WorkItem>& work) {
  std::array<IntervalSet, kWorkClasses> sets;
  for (const WorkItem& item : work) Append(sets[static_cast<size_t>(item.work)], item.time);
  const auto take = [&](WorkClass c) { return std::move(sets[static_cast<size_t>(c)]); };
  IntervalSet compute = take(WorkClass::kCompute);
  IntervalSet communication = take(WorkClass::kCommunication);
  IntervalSet copies = take(WorkClass::kCopy);
  const IntervalSet unknown = take(WorkClass::kUnknown);
  const IntervalSet control = take(WorkClass::kControl);
  // Of what lies inside a window the same is left as of the window's part of it: all is cut once.
  exposed_communication_ = IntervalPrefixSum(Subtract(communication, compute));
  const IntervalSet device_work = Union(compute, communication);
  exposed_copies_ = IntervalPrefixSum(Subtract(copies, device_work));
  const IntervalSet with_copies = Union(device_work, copies);
  unknown_ = IntervalPrefixSum(Subtract(unknown, with_copies));
  busy_ = Union(with_copies, unknown);
  if (!control.empty()) {
    compute = Union(compute, Subtract(control, busy_));
    busy_ = Union(busy_, control);
  }
  compute_ = IntervalPrefixSum(std::move(compute));
  communication_ = IntervalPrefixSum(std::move(communication));
  copies_ = IntervalPrefixSum(std::move(copies));
}

Partition DeviceTime::Split(Interval window) const {
  Partition parts;
  parts.window = window.length();
  parts.compute = compute_.Inside(window);
  parts.exposed_communication = exposed_communication_.Inside(window);
  parts.exposed_copies = exposed_copies_.Inside(window);
  parts.unknown = unknown_.Inside(window);
  parts.idle =
      parts.window - parts.compute - parts.exposed_communication - parts.exposed_copies - parts.unknown;
  parts.hidden_communication = communication_.Inside(window) - parts.exposed_communication;
  parts.hidden_copies = copies_.Inside(window) - parts.exposed_copies;
  return parts;
}

}  // namespace gait::analyze

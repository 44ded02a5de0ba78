#include "gait/analyze/partition.h"

#include <algorithm>
#include <array>
#include <span>

namespace gait::analyze {
namespace {

// The intervals of a set that touch the window, cut to it.
IntervalSet Part(const IntervalSet& set, Interval window) {
  const auto first = std::ranges::upper_bound(set, window.begin, {}, &Interval::end);
  const auto last = std::ranges::lower_bound(first, set.end(), window.end, {}, &Interval::begin);
  return Clip(std::span(first, last), window);
}

}  // namespace

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

DeviceTime::DeviceTime(const Trace& trace, const Device& device, const WorkClasses& classes) {
  std::array<IntervalSet, kWorkClasses> sets;
  for (const TrackId id : device.work) {
    const Track& track = trace.track(id);
    // Kernels of one stream overlap, so even a single track is a union.
    std::array<std::vector<Interval>, kWorkClasses> by_class;
    for (size_t i = 0; i < track.size(); ++i) {
      by_class[static_cast<size_t>(classes(track, EventIndex(i)))].push_back(track.interval(EventIndex(i)));
    }
    for (size_t c = 0; c < kWorkClasses; ++c) sets[c] = Union(sets[c], Normalize(std::move(by_class[c])));
  }
  const auto take = [&](WorkClass work) { return std::move(sets[static_cast<size_t>(work)]); };
  compute_ = take(WorkClass::kCompute);
  communication_ = take(WorkClass::kCommunication);
  copies_ = take(WorkClass::kCopy);
  unknown_ = take(WorkClass::kUnknown);
  busy_ = Union(Union(compute_, communication_), Union(copies_, unknown_));
  const IntervalSet control = take(WorkClass::kControl);
  if (control.empty()) return;
  compute_ = Union(compute_, Subtract(control, busy_));
  busy_ = Union(busy_, control);
}

Partition DeviceTime::Split(Interval window) const {
  const IntervalSet compute = Part(compute_, window);
  const IntervalSet communication = Part(communication_, window);
  const IntervalSet copies = Part(copies_, window);
  const IntervalSet exposed_communication = Subtract(communication, compute);
  const IntervalSet device_work = Union(compute, communication);
  const IntervalSet exposed_copies = Subtract(copies, device_work);

  Partition parts;
  parts.window = window.length();
  parts.compute = TotalLength(compute);
  parts.exposed_communication = TotalLength(exposed_communication);
  parts.exposed_copies = TotalLength(exposed_copies);
  parts.unknown = TotalLength(Subtract(Part(unknown_, window), Union(device_work, copies)));
  parts.idle = TotalLength(Gaps(Part(busy_, window), window));
  parts.hidden_communication = TotalLength(communication) - parts.exposed_communication;
  parts.hidden_copies = TotalLength(copies) - parts.exposed_copies;
  return parts;
}

}  // namespace gait::analyze

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/operations/peaks.h"
#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/question/transfers/copies.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {
namespace {

double RateOf(const analyze::Copy& copy) {
  return static_cast<double>(*copy.bytes) / copy.time.length().seconds();
}

// A copy between host and device is no faster than the device's own memory: an event that says so has the
// wrong length, and would make a flat line of all others.
bool IsPossible(const analyze::Copy& copy, const analyze::Peaks& peaks) {
  const bool with_host =
      copy.kind == analyze::CopyKind::kHostToDevice || copy.kind == analyze::CopyKind::kDeviceToHost;
  return !with_host || !peaks.bytes_per_second || RateOf(copy) <= *peaks.bytes_per_second;
}

// Bytes per second of the copies that run at each moment: each spreads its bytes evenly over its time.
std::vector<CounterPoint> Rates(const std::vector<const analyze::Copy*>& copies) {
  std::vector<CounterPoint> changes;
  for (const analyze::Copy* copy : copies) {
    const double rate = RateOf(*copy);
    changes.push_back({copy->time.begin, rate});
    changes.push_back({copy->time.end, -rate});
  }
  std::ranges::stable_sort(changes, {}, &CounterPoint::time);
  double sum = 0;
  int64_t running = 0;
  for (CounterPoint& change : changes) {
    running += change.value > 0 ? 1 : -1;
    sum += change.value;
    if (running == 0) sum = 0;  // what rounding left
    change.value = sum;
  }
  return changes;
}

}  // namespace

bool IsDrawn(analyze::CopyKind kind) {
  return kind != analyze::CopyKind::kMemset && kind != analyze::CopyKind::kUnknown;
}

void DeriveCopies(DerivedWriter& out, const analyze::HostView& host) {
  const std::vector<analyze::Copy> copies = analyze::FindCopies(host);
  std::vector<analyze::Peaks> peaks;
  for (const analyze::Device& device : host.devices) {
    peaks.push_back(analyze::PeaksOf(host.trace(), host.trace().plane(device.plane)));
  }
  std::map<std::pair<size_t, analyze::CopyKind>, std::vector<const analyze::Copy*>> groups;
  for (const analyze::Copy& copy : copies) {
    if (!IsDrawn(copy.kind) || !copy.device || !copy.bytes || *copy.bytes <= 0 || copy.time.empty()) continue;
    if (!IsPossible(copy, peaks[*copy.device])) continue;
    groups[{*copy.device, copy.kind}].push_back(&copy);
  }
  for (const auto& [group, list] : groups) {
    out.AddCounter({host.devices[group.first].plane, fmt::format("copies {}", Name(group.second)), "copies",
                    kCopiesOrder, "Bytes per second of the copies that ran."},
                   "bytes/s", Rates(list));
  }
}

void DeriveMemory(DerivedWriter& out, const analyze::HostView& host) {
  for (const analyze::Allocator& allocator : analyze::FindAllocators(host, {})) {
    std::vector<CounterPoint> points;
    for (const analyze::AllocationEvent& event : allocator.events) {
      // What was there before the first event of the capture held until then.
      if (points.empty()) points.push_back({event.time - Ps(1), static_cast<double>(allocator.before)});
      points.push_back({event.time, static_cast<double>(event.in_use)});
    }
    out.AddCounter({allocator.plane, fmt::format("memory {}", allocator.name), "memory", kMemoryOrder,
                    "Bytes that the allocator had handed out or reserved for programs."},
                   "bytes", points);
  }
}

}  // namespace gait::timeline

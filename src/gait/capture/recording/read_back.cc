#include "gait/capture/recording/read_back.h"

#include <algorithm>

#include "gait/analyze/device/devices.h"
#include "gait/analyze/device/unfinished.h"

namespace gait::capture {

bool ReadBack::IsIdle() const {
  return std::ranges::all_of(devices, [](const auto& device) { return device.second == 0; });
}

ReadBack LookAt(const Trace& trace, const std::string& path, const std::string& if_idle,
                std::map<std::string, uint64_t> without_end) {
  ReadBack seen;
  seen.events = trace.event_count();
  for (const analyze::Device& device : analyze::FindDevices(trace)) {
    seen.devices.emplace_back(device.name, device.events(trace));
  }
  seen.losses.assign(trace.losses().begin(), trace.losses().end());
  for (const auto& [program, count] : analyze::FindUnfinished(trace)) {
    uint64_t& known = without_end[program];
    known = std::max(known, count);
  }
  for (const auto& [program, count] : without_end)
    seen.losses.push_back({LossKind::kUnfinished, program, "no end", count});
  seen.reported = trace.environment().errors;
  seen.reported.insert(seen.reported.end(), trace.environment().warnings.begin(),
                       trace.environment().warnings.end());
  if (!if_idle.empty() && seen.IsIdle()) {
    seen.losses.push_back({LossKind::kCapture, path, if_idle, 1});
  } else if (seen.events == 0) {
    seen.losses.push_back({LossKind::kCapture, path, "no event at all", 1});
  }
  return seen;
}

}  // namespace gait::capture

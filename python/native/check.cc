#include "check.h"

#include <algorithm>

#include "gait/analyze/device/devices.h"

namespace gait::python {

bool CheckedCapture::IsIdle() const {
  return std::ranges::all_of(devices, [](const auto& device) { return device.second == 0; });
}

CheckedCapture CheckCapture(const Trace& trace, const std::string& path, const std::string& if_idle) {
  CheckedCapture checked;
  checked.events = trace.event_count();
  for (const analyze::Device& device : analyze::FindDevices(trace)) {
    uint64_t events = 0;
    for (const TrackId track : device.work) events += trace.track(track).size();
    checked.devices.emplace_back(device.name, events);
  }
  checked.losses.assign(trace.losses().begin(), trace.losses().end());
  checked.reported = trace.environment().errors;
  checked.reported.insert(checked.reported.end(), trace.environment().warnings.begin(),
                          trace.environment().warnings.end());
  if (!if_idle.empty() && checked.IsIdle()) {
    checked.losses.push_back({LossKind::kCapture, path, if_idle, 1});
  } else if (checked.events == 0) {
    checked.losses.push_back({LossKind::kCapture, path, "no event at all", 1});
  }
  return checked;
}

}  // namespace gait::python

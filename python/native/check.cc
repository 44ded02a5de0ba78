#include "check.h"

#include "gait/analyze/devices.h"

namespace gait::python {

CheckedCapture CheckCapture(const Trace& trace, const std::string& path, bool accelerator) {
  CheckedCapture checked;
  checked.events = trace.event_count();
  uint64_t on_devices = 0;
  for (const analyze::Device& device : analyze::FindDevices(trace)) {
    uint64_t events = 0;
    for (const TrackId track : device.work) events += trace.track(track).size();
    checked.devices.emplace_back(device.name, events);
    on_devices += events;
  }
  checked.losses.assign(trace.losses().begin(), trace.losses().end());
  checked.reported = trace.environment().errors;
  checked.reported.insert(checked.reported.end(), trace.environment().warnings.begin(),
                          trace.environment().warnings.end());
  if (accelerator && on_devices == 0) {
    checked.losses.push_back(
        {LossKind::kCapture, path,
         "no event of a device: nothing ran on one, or its profiler (CUPTI on NVIDIA GPUs) is "
         "missing or was in use by another tool",
         1});
  } else if (checked.events == 0) {
    checked.losses.push_back({LossKind::kCapture, path, "no event at all", 1});
  }
  return checked;
}

}  // namespace gait::python

#include "check.h"

#include "gait/analyze/devices.h"
#include "gait/read/xplane/reader.h"

namespace gait::python {

Result<CheckedCapture> CheckCapture(const std::string& path, bool accelerator,
                                    const std::function<void(double)>& progress) {
  // One thread: the others belong to the program that is being captured.
  GAIT_TRY(const Trace trace, xplane::ReadFile(path, {.threads = 1, .progress = progress}));
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

#include "gait/analyze/device/devices.h"

#include <algorithm>

#include "gait/analyze/run/describe.h"

namespace gait::analyze {

uint64_t Device::events(const Trace& trace) const {
  uint64_t sum = 0;
  for (const TrackId track : work) sum += trace.track(track).size();
  return sum;
}

std::vector<Device> FindDevices(const Trace& trace) {
  std::vector<Device> devices;
  for (size_t p = 0; p < trace.planes().size(); ++p) {
    if (!trace.planes()[p].is_device()) continue;
    Device device{PlaneId(p), DeviceName(trace, trace.planes()[p]), {}};
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const TrackInfo& info = trace.tracks()[t].info();
      if (info.plane != device.plane) continue;
      if (info.kind == TrackKind::kStream || info.kind == TrackKind::kOps ||
          info.kind == TrackKind::kAsyncOps) {
        device.work.push_back(TrackId(t));
      }
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace gait::analyze

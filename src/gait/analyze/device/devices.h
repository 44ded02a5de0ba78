// The devices of a capture and the tracks that hold their work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

struct Device {
  PlaneId plane;
  std::string name;  // "GPU 0"
  // Tracks whose events are the device's work, each piece of work once: streams of a GPU, operations of a TPU
  // (the asynchronous ones too) or of a CPU. Lines that repeat the time of other lines (steps, modules,
  // scopes) are left out.
  std::vector<TrackId> work;

  uint64_t events(const Trace& trace) const;  // pieces of work
  bool idle_throughout(const Trace& trace) const { return events(trace) == 0; }
};

// In the order of the capture; devices without work are listed too.
std::vector<Device> FindDevices(const Trace& trace);

}  // namespace gait::analyze

// The platform that a program ran on, by its environment: known also where the capture has no such device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gait/trace/trace.h"

namespace gait::analyze {

struct Platform {
  PlaneKind plane;
  std::string version;          // "cuda 13000"
  std::string_view if_missing;  // what to do when the capture has no such device
};

// The profiler starts without a word where it cannot trace the device.
inline constexpr std::string_view kIfCudaIsMissing =
    "install CUPTI, close other profilers (Nsight), and use no unknown profiler options";
inline constexpr std::string_view kIfTpuIsMissing =
    "capture fewer steps: half a minute and more is known to come without the TPU (jax#23446)";

std::vector<Platform> PlatformsOf(const Environment& environment);

}  // namespace gait::analyze

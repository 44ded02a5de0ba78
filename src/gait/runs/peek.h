// PeekPlanes: the planes, the hosts and the time of an XPlane file, without its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/runs/run.h"

namespace gait::runs {

enum class FileState : uint8_t {  // the better before the worse
  kWhole,                         // walked to its end
  kEmpty,                         //
  kCompressed,                    // gzip or zstd: not looked into
  kDamaged,                       // ends early, or is something else
  kUnopened,                      // missing, or without permission
};

struct PlaneNames {
  std::vector<std::string> planes;
  std::vector<std::string> hostnames;
  std::optional<int64_t> start_unix_ns;  // profile_start_time of the plane Task Environment
  FileState state = FileState::kDamaged;
};

// Hops from plane to plane by their lengths, and reads a few hundred bytes of each; reads the small plane
// Task Environment whole. O(planes), independent of the size of the file. Never fails: unreadable parts are
// left out and `state` says why.
PlaneNames PeekPlanes(const std::string& path);

// The same for all files together: the planes and hosts of all, the earliest start, and the worst state.
PlaneNames PeekPlanes(const std::vector<HostFile>& hosts);

// "2 GPU", "4 TPU", "CPU", "empty", "compressed", "damaged", "1 GPU, damaged"; "?" for a whole file without
// devices or host.
std::string DevicesText(const PlaneNames& names);

}  // namespace gait::runs

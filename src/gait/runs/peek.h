// PeekPlanes: the names of the planes of an XPlane file, without its events.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gait::runs {

struct PlaneNames {
  std::vector<std::string> planes;
  std::vector<std::string> hostnames;
  bool complete = false;  // the file was walked to its end
};

// Hops from plane to plane by their lengths and reads a few hundred bytes of each: O(planes), whatever the
// size of the file. Never fails: what cannot be read (a compressed, cut or foreign file) is left out and
// `complete` is false.
PlaneNames PeekPlanes(const std::string& path);

// "2 GPU", "4 TPU", "CPU"; "?" when nothing is known.
std::string DevicesText(const PlaneNames& names);

}  // namespace gait::runs

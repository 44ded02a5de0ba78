// Peek: the devices and the time of an XPlane file, without its events.
#pragma once

#include <string>

#include "gait/read/format/format.h"

namespace gait::xplane {

// Hops from plane to plane by their lengths, and reads a few hundred bytes of each; reads the small plane
// Task Environment whole. O(planes), independent of the size of the file.
read::Peeked Peek(const std::string& path);

}  // namespace gait::xplane

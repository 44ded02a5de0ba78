// Field numbers of xplane.proto (package tensorflow.profiler).
#pragma once

#include <cstdint>

namespace gait::xplane {

namespace space {
enum : uint32_t { kPlanes = 1, kErrors = 2, kWarnings = 3, kHostnames = 4 };
}
namespace plane {
enum : uint32_t { kId = 1, kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5, kStats = 6 };
}
namespace line {
enum : uint32_t {
  kId = 1,
  kName = 2,
  kTimestampNs = 3,
  kEvents = 4,
  kDurationPs = 9,
  kDisplayId = 10,
  kDisplayName = 11
};
}
namespace event {
enum : uint32_t { kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3, kStats = 4, kNumOccurrences = 5 };
}
namespace stat {
enum : uint32_t { kMetadataId = 1, kDouble = 2, kUint64 = 3, kInt64 = 4, kString = 5, kBytes = 6, kRef = 7 };
}
namespace event_metadata {
enum : uint32_t { kId = 1, kName = 2, kMetadata = 3, kDisplayName = 4, kStats = 5 };
}
namespace stat_metadata {
enum : uint32_t { kId = 1, kName = 2 };
}
namespace map_entry {
enum : uint32_t { kKey = 1, kValue = 2 };
}

}  // namespace gait::xplane

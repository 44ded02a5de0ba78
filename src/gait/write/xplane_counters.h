// Counters as planes of an XSpace. The messages of a protobuf's repeated field may stand anywhere in a file,
// so these bytes can be appended to a capture.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gait/trace/counter_series.h"

namespace gait::write {

// The begin of the session of this XSpace, in Unix ns. The times of its lines count from there. nullopt when
// the XSpace does not say.
std::optional<int64_t> SessionStart(std::string_view xspace);

// One plane "/gait:GPU 0" for each device, with a line "_counters_". Each sample is an event without length,
// with one stat: the name and the value. Samples before the start are left out. Empty without series.
std::string XPlaneCounters(std::span<const CounterSeries> series, int64_t start_unix_ns);

}  // namespace gait::write

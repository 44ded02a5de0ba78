// Counters as planes of an XSpace. The messages of a protobuf's repeated field may stand anywhere in a file,
// so these bytes, put behind a capture, are a part of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gait/trace/counter_series.h"

namespace gait::write {

// When the session of this XSpace began, in Unix ns: what the times of its lines are relative to. nullopt
// when it does not say.
std::optional<int64_t> SessionStart(std::string_view xspace);

// One plane "/gait:GPU 0" for each device with a line "_counters_": an event without length for each sample,
// whose only stat has the name and the value. Samples before the start are left out. Empty without series.
std::string XPlaneCounters(std::span<const CounterSeries> series, int64_t start_unix_ns);

}  // namespace gait::write

// All slices with the name of one slice: their number, their durations, and the ones before and after the
// slice.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gait/analyze/time/durations.h"
#include "gait/timeline/book.h"
#include "gait/timeline/search.h"

namespace gait::timeline {

// Bars of equal width. The scale is logarithmic where the durations spread over more than a decade.
struct Histogram {
  std::vector<Ps> edges;  // one more than bars; a bar holds [edge, next edge), the last one its end too
  std::vector<uint64_t> counts;
};

// O(values).
Histogram HistogramOf(const std::vector<Ps>& values);

struct SameSlices {
  uint64_t count = 0;
  Ps total;
  analyze::DurationStatistics statistics;
  Histogram histogram;
  size_t position = 0;  // of the slice itself, in order of time
  std::optional<SliceRef> previous;
  std::optional<SliceRef> next;
};

enum class SameBy : uint8_t { kName, kOperation };

// Looks at all tracks that are like the slice's track (AreAlike). O(slices).
SameSlices FindSame(const Book& book, SliceRef slice, SameBy by);

}  // namespace gait::timeline

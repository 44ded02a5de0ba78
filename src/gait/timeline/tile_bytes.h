// The bytes of tiles (docs/http.md, "tile").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gait/timeline/counter.h"
#include "gait/timeline/slice_row.h"
#include "gait/timeline/tracks.h"

namespace gait::timeline {

inline constexpr uint32_t kMergedLane = 0xffffffff;

// The bytes of one row; empty for a row without content.
std::string Section(const TimelineTrack& track, uint32_t lane, const SliceTile& tile);
std::string Section(const TimelineTrack& track, const CounterTile& tile);

// A whole tile; empty sections are left out.
std::string JoinSections(const Window& window, const std::vector<std::string>& sections);

}  // namespace gait::timeline

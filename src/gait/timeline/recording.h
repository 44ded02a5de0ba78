// Recording: a part of the timeline that is looked at without the capture, as in a report that is one file.
//
// Every slice that touches the window, as the bytes of one tile (docs/http.md): the page makes the tiles of
// any zoom from it. Where that would be more than `most` slices, those too short to matter come as buckets of
// the smallest width that is few enough. Counters come as buckets of the width that the tile's head says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gait/base/intervals.h"
#include "gait/timeline/tracks.h"

namespace gait::timeline {

struct Recording {
  std::string tile;                          // its names are positions in `names`
  std::vector<const TimelineTrack*> tracks;  // those that hold something
  std::vector<uint32_t> names;               // ids of the timeline's names, in order of their first use
  Interval window;
};

// O(events of the tracks) at worst.
Recording Record(const std::vector<const TimelineTrack*>& tracks, Interval window, size_t most);

}  // namespace gait::timeline

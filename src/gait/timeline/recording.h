// Recording: a part of the timeline that a page can show without the capture, as in a report of one file.
//
// Every slice that touches the window, as the bytes of one tile (docs/http.md). The page makes tiles of any
// zoom from this tile. Where there are more than `most` slices, the shortest ones come as buckets, of the
// smallest width that keeps to `most`. Counters come as buckets of the width in the tile's head.
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

// Tiles: the picture of some tracks in a window, as the bytes that the page reads (docs/http.md).
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "gait/timeline/tracks.h"

namespace gait::timeline {

inline constexpr int kMaxLevel = 48;
inline constexpr uint32_t kMaxBuckets = 8192;

struct TileRow {
  const TimelineTrack* track;
  bool merged = false;  // all lanes as one row of buckets
};

struct TileRequest {
  std::vector<TileRow> rows;
  Window window;           // on the run's clock
  std::stop_token stop{};  // nobody waits any more: what is returned then is not whole
};

// O(rows * buckets * log n), on all threads. Rows with nothing in the window are left out.
std::string MakeTile(const TileRequest& request);

}  // namespace gait::timeline

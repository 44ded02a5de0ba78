#include "gait/timeline/recording.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "gait/timeline/tile_bytes.h"

namespace gait::timeline {
namespace {

// The lowest level whose buckets cover the window with no more than that many.
Window Cover(Interval window, uint32_t buckets) {
  const auto length = static_cast<uint64_t>(std::max<int64_t>(1, (window.end - window.begin).value()));
  const int level = static_cast<int>(std::bit_width((length - 1) / buckets));
  const auto width = uint64_t{1} << level;
  return {window.begin, level, static_cast<uint32_t>((length + width - 1) / width)};
}

struct Row {
  const TimelineTrack* track;
  uint32_t lane;
  SliceTile tile;
};

// All slices that touch the window, by lane.
void AddExact(const TimelineTrack& track, Interval window, std::vector<Row>& rows) {
  const Track& events = track.events();
  std::vector<SliceTile> lanes(track.lanes());
  const size_t last = events.LowerBound(window.end).value;
  for (size_t i = 0; i < last; ++i) {
    const EventIndex e(static_cast<uint32_t>(i));
    if (events.end(e) <= window.begin && events.begin(e) < window.begin) continue;
    lanes[events.lane(e)].slices.push_back(
        {events.begin(e), events.duration(e), track.names[i], static_cast<uint32_t>(i)});
  }
  for (uint32_t lane = 0; lane < lanes.size(); ++lane) rows.push_back({&track, lane, std::move(lanes[lane])});
}

void AddBuckets(const TimelineTrack& track, const Window& window, std::vector<Row>& rows) {
  for (uint32_t lane = 0; lane < track.lanes(); ++lane) {
    rows.push_back({&track, lane, track.rows->Lane(lane).Look(window, Drawing::kSlices)});
  }
}

size_t Size(const std::vector<Row>& rows) {
  size_t size = 0;
  for (const Row& row : rows) size += row.tile.slices.size() + row.tile.buckets.size();
  return size;
}

// Gives the names new numbers in the order of their first use.
class Renumber {
 public:
  uint32_t operator()(uint32_t name) {
    const auto [at, added] = ids_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (added) names_.push_back(name);
    return at->second;
  }
  std::vector<uint32_t> Take() && { return std::move(names_); }

 private:
  std::unordered_map<uint32_t, uint32_t> ids_;
  std::vector<uint32_t> names_;
};

}  // namespace

Recording Record(const std::vector<const TimelineTrack*>& tracks, Interval window, size_t most) {
  constexpr uint32_t kCounterBuckets = 8192;
  constexpr uint32_t kMostBuckets = 65'536;
  std::vector<Row> rows;
  for (const TimelineTrack* track : tracks) {
    if (!track->counter) AddExact(*track, window, rows);
  }
  Window grid = Cover(window, kCounterBuckets);
  if (Size(rows) > most) {
    grid = Cover(window, kMostBuckets);
    for (;;) {
      rows.clear();
      for (const TimelineTrack* track : tracks) {
        if (!track->counter) AddBuckets(*track, grid, rows);
      }
      if (Size(rows) <= most || grid.buckets <= 1) break;
      grid = Cover(window, (grid.buckets + 1) / 2);
    }
  }
  Recording recording;
  recording.window = window;
  Renumber renumber;
  std::vector<std::string> sections;
  const auto add = [&](const TimelineTrack* track, std::string section) {
    if (section.empty()) return;
    sections.push_back(std::move(section));
    if (recording.tracks.empty() || recording.tracks.back() != track) recording.tracks.push_back(track);
  };
  for (Row& row : rows) {
    for (SliceTile::Slice& slice : row.tile.slices) slice.name = renumber(slice.name);
    for (SliceTile::Bucket& bucket : row.tile.buckets) bucket.name = renumber(bucket.name);
    add(row.track, Section(*row.track, row.lane, row.tile));
  }
  for (const TimelineTrack* track : tracks) {
    if (!track->counter) continue;
    add(track, Section(*track, track->counter->Look(grid)));
  }
  recording.tile = JoinSections(grid, sections);
  recording.names = std::move(renumber).Take();
  return recording;
}

}  // namespace gait::timeline

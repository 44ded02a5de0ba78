#include "gait/timeline/tile.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "gait/base/thread_pool.h"
#include "gait/timeline/tile_bytes.h"

namespace gait::timeline {
namespace {

// Rows of the picture: lanes of a track, a merged track or a counter.
struct Job {
  const TimelineTrack* track;
  bool merged = false;
  uint32_t first_lane = 0;
  uint32_t lanes = 1;
};

// Adds what a part of the window holds, from bucket `at` on. A lane's slices do not overlap: only the first
// one can be known from the part before.
void Append(SliceTile& tile, const SliceTile& part, uint32_t at) {
  for (const SliceTile::Slice& slice : part.slices) {
    if (tile.slices.empty() || tile.slices.back().event != slice.event) tile.slices.push_back(slice);
  }
  for (SliceTile::Bucket bucket : part.buckets) {
    bucket.bucket += at;
    tile.buckets.push_back(bucket);
  }
}

// Slices of different lanes lie side by side in the columns of a track. Where many have to be read the lanes
// are drawn part by part, so that the next lane finds in the cache what the one before it has read.
std::vector<std::string> DrawLanes(const Job& job, const Window& window) {
  constexpr uint32_t kPart = 32;  // buckets
  constexpr uint64_t kMany = 64;  // slices of the track in a bucket
  const Track& events = job.track->events();
  const uint64_t inside = events.LowerBound(window.end()).value - events.LowerBound(window.begin).value;
  const bool dense = job.lanes > 1 && inside > kMany * window.buckets &&
                     !job.track->rows->Lane(job.first_lane).KnowsBorders(window);
  const uint32_t step = dense ? kPart : window.buckets;
  std::vector<SliceTile> tiles(job.lanes);
  for (uint32_t at = 0; at < window.buckets; at += step) {
    Window part = window;
    part.begin += window.width() * at;
    part.buckets = std::min(step, window.buckets - at);
    for (uint32_t lane = 0; lane < job.lanes; ++lane) {
      SliceTile found = job.track->rows->Lane(job.first_lane + lane).Look(part, Drawing::kSlices);
      if (dense) {
        Append(tiles[lane], found, at);
      } else {
        tiles[lane] = std::move(found);
      }
    }
  }
  std::vector<std::string> sections;
  for (uint32_t lane = 0; lane < job.lanes; ++lane) {
    sections.push_back(Section(*job.track, job.first_lane + lane, tiles[lane]));
  }
  return sections;
}

// A section for each of its rows; empty where a row has nothing in the window.
std::vector<std::string> Draw(const Job& job, const Window& window) {
  const TimelineTrack& track = *job.track;
  if (track.counter) return {Section(track, track.counter->Look(window))};
  if (job.merged) return {Section(track, kMergedLane, track.rows->Merged().Look(window, Drawing::kBuckets))};
  return DrawLanes(job, window);
}

}  // namespace

std::string MakeTile(const TileRequest& request) {
  std::vector<Job> jobs;
  for (const TileRow& row : request.rows) {
    if (row.merged || row.track->counter) {
      jobs.push_back({row.track, row.merged});
      continue;
    }
    const uint32_t lanes = row.track->lanes();
    const auto parts = static_cast<uint32_t>(std::min<size_t>(DefaultThreads(), lanes));
    for (uint32_t i = 0; i < parts; ++i) {
      const uint32_t first = lanes * i / parts;
      jobs.push_back({row.track, false, first, lanes * (i + 1) / parts - first});
    }
  }
  // Rows are made when they are first looked at: track by track, or those that want the same one would wait.
  std::vector<TileRow> missing;
  for (const TileRow& row : request.rows) {
    if (!row.track->counter && !row.track->rows->made(row.merged)) missing.push_back(row);
  }
  std::ranges::stable_sort(missing, std::greater(), [](const TileRow& row) { return row.track->size(); });
  ForEach(missing.size(), DefaultThreads(), [&](size_t i) {
    if (!request.stop.stop_requested()) missing[i].track->rows->Make(missing[i].merged);
  });
  std::vector<std::vector<std::string>> drawn(jobs.size());
  ForEach(jobs.size(), DefaultThreads(), [&](size_t i) {
    if (!request.stop.stop_requested()) drawn[i] = Draw(jobs[i], request.window);
  });
  std::vector<std::string> sections;
  for (std::vector<std::string>& rows : drawn) {
    std::ranges::move(rows, std::back_inserter(sections));
  }
  return JoinSections(request.window, sections);
}

}  // namespace gait::timeline

#include "gait/timeline/tile.h"

#include "gait/base/thread_pool.h"
#include "gait/timeline/tile_bytes.h"

namespace gait::timeline {
namespace {

// One row of the picture: a lane, a merged track or a counter.
struct Job {
  const TimelineTrack* track;
  uint32_t lane;
};

std::string Draw(const Job& job, Window window) {
  const TimelineTrack& track = *job.track;
  window.begin -= track.offset;
  if (track.counter) return Section(track, track.counter->Look(window));
  const bool merged = job.lane == kMergedLane;
  const SliceRow& row = merged ? track.rows->Merged() : track.rows->Lane(job.lane);
  return Section(track, job.lane, row.Look(window, merged ? Drawing::kBuckets : Drawing::kSlices));
}

}  // namespace

std::string MakeTile(const TileRequest& request) {
  std::vector<Job> jobs;
  for (const TileRow& row : request.rows) {
    if (row.merged && !row.track->counter) {
      jobs.push_back({row.track, kMergedLane});
      continue;
    }
    for (uint32_t lane = 0; lane < row.track->lanes(); ++lane) jobs.push_back({row.track, lane});
  }
  // Rows are made when they are first looked at: track by track, or those that want the same one would wait.
  std::vector<TileRow> missing;
  for (const TileRow& row : request.rows) {
    if (!row.track->counter && !row.track->rows->made(row.merged)) missing.push_back(row);
  }
  ForEach(missing.size(), DefaultThreads(),
          [&](size_t i) { missing[i].track->rows->Make(missing[i].merged); });
  std::vector<std::string> sections(jobs.size());
  ForEach(jobs.size(), DefaultThreads(), [&](size_t i) { sections[i] = Draw(jobs[i], request.window); });
  return JoinSections(request.window, sections);
}

}  // namespace gait::timeline

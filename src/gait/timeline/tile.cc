#include "gait/timeline/tile.h"

<<<<<<< HEAD
=======
#include <algorithm>
#include <bit>
#include <cstring>

>>>>>>> viewer
#include "gait/base/thread_pool.h"
#include "gait/timeline/tile_bytes.h"

namespace gait::timeline {
namespace {

<<<<<<< HEAD
// One row of the picture: a lane, a merged track or a counter.
=======
static_assert(std::endian::native == std::endian::little, "the bytes of a tile are little-endian");

constexpr uint32_t kVersion = 1;
constexpr uint32_t kMergedLane = 0xffffffff;
constexpr uint32_t kSlices = 0;
constexpr uint32_t kCounter = 1;
constexpr size_t kSectionHead = 24;

class ByteWriter {
 public:
  template <typename T>
  void Put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  template <typename T, typename List, typename Of>
  void Column(const List& list, Of of) {
    for (const auto& item : list) Put(static_cast<T>(of(item)));
  }
  void Pad() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }
  size_t size() const { return bytes_.size(); }
  void PutAt(size_t at, uint32_t value) { std::memcpy(bytes_.data() + at, &value, sizeof(value)); }
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

double Picoseconds(Ps time) { return static_cast<double>(time.value()); }

void Head(ByteWriter& out, uint32_t track, uint32_t lane, uint32_t type, size_t slices, size_t buckets) {
  out.Put(track);
  out.Put(lane);
  out.Put(type);
  out.Put(static_cast<uint32_t>(slices));
  out.Put(static_cast<uint32_t>(buckets));
  out.Put(uint32_t{0});  // the length, once it is known
}

std::string Finish(ByteWriter out) {
  out.Pad();
  out.PutAt(kSectionHead - sizeof(uint32_t), static_cast<uint32_t>(out.size()));
  return std::move(out).Take();
}

std::string Section(const TimelineTrack& track, uint32_t lane, const SliceTile& tile) {
  if (tile.slices.empty() && tile.buckets.empty()) return {};
  ByteWriter out;
  out.Reserve(kSectionHead + tile.slices.size() * 24 + tile.buckets.size() * 24 + 8);
  Head(out, track.id, lane, kSlices, tile.slices.size(), tile.buckets.size());
  out.Column<double>(tile.slices, [&](const auto& s) { return Picoseconds(s.begin + track.offset); });
  out.Column<double>(tile.slices, [](const auto& s) { return Picoseconds(s.duration); });
  out.Column<double>(tile.buckets, [](const auto& b) { return Picoseconds(b.busy); });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.bucket; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.count; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.name; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.event; });
  out.Column<uint32_t>(tile.slices, [](const auto& s) { return s.name; });
  out.Column<uint32_t>(tile.slices, [](const auto& s) { return s.event; });
  return Finish(std::move(out));
}

std::string Section(const TimelineTrack& track, const CounterTile& tile) {
  if (tile.buckets.empty()) return {};
  ByteWriter out;
  Head(out, track.id, 0, kCounter, 0, tile.buckets.size());
  out.Column<double>(tile.buckets, [](const auto& b) { return b.low; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.high; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.mean; });
  out.Column<double>(tile.buckets, [](const auto& b) { return b.last; });
  out.Column<uint32_t>(tile.buckets, [](const auto& b) { return b.bucket; });
  return Finish(std::move(out));
}

// Rows of the picture: lanes of a track, a merged track or a counter.
>>>>>>> viewer
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

// Slices of different lanes lie side by side in the columns of a track. Where many lie below a pixel the
// lanes are drawn part by part, so that the next lane finds in the cache what the one before it has read.
std::vector<std::string> DrawLanes(const Job& job, const Window& window) {
  constexpr uint32_t kPart = 32;  // buckets
  constexpr uint64_t kMany = 64;  // slices of the track in a bucket
  const Track& events = job.track->events();
  const uint64_t inside = events.LowerBound(window.end()).value - events.LowerBound(window.begin).value;
  const bool dense = job.lanes > 1 && inside > kMany * window.buckets;
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
std::vector<std::string> Draw(const Job& job, Window window) {
  const TimelineTrack& track = *job.track;
  window.begin -= track.offset;
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
  ForEach(missing.size(), DefaultThreads(),
          [&](size_t i) { missing[i].track->rows->Make(missing[i].merged); });
<<<<<<< HEAD
  std::vector<std::string> sections(jobs.size());
  ForEach(jobs.size(), DefaultThreads(), [&](size_t i) { sections[i] = Draw(jobs[i], request.window); });
  return JoinSections(request.window, sections);
=======
  std::vector<std::vector<std::string>> drawn(jobs.size());
  ForEach(jobs.size(), DefaultThreads(), [&](size_t i) { drawn[i] = Draw(jobs[i], request.window); });
  std::vector<std::string> sections;
  for (std::vector<std::string>& rows : drawn) {
    for (std::string& section : rows) {
      if (!section.empty()) sections.push_back(std::move(section));
    }
  }
  ByteWriter out;
  for (const char c : {'G', 'T', 'I', 'L'}) out.Put(c);
  out.Put(kVersion);
  out.Put(static_cast<uint32_t>(request.window.level));
  out.Put(request.window.buckets);
  out.Put(Picoseconds(request.window.begin));
  out.Put(static_cast<uint32_t>(sections.size()));
  out.Put(uint32_t{0});
  std::string tile = std::move(out).Take();
  size_t bytes = tile.size();
  for (const std::string& section : sections) bytes += section.size();
  tile.reserve(bytes);
  for (const std::string& section : sections) tile += section;
  return tile;
>>>>>>> viewer
}

}  // namespace gait::timeline

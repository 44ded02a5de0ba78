// The tracks of a timeline: captured tracks (Timeline::Make) and derived tracks (derive/derive.h). Immutable;
// any number of threads may read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/page_arena.h"
#include "gait/base/units.h"
#include "gait/timeline/counter.h"
#include "gait/timeline/names.h"
#include "gait/timeline/slice_row.h"
#include "gait/trace/trace.h"

namespace gait::timeline {

enum class GroupKind : uint8_t { kHost, kDevice, kProcess };
std::string_view Name(GroupKind kind);  // "host", "device", "process"

inline constexpr uint32_t kNoGroup = 0xffffffff;
inline constexpr int kCapturedOrder = 100;  // of the capture's own tracks within their group

// A node of the tree above the tracks.
struct Group {
  std::string key;     // "vm/GPU 0": the same in every session
  std::string title;   // "GPU 0"
  std::string detail;  // "NVIDIA H200"; may be empty
  GroupKind kind = GroupKind::kHost;
  uint32_t parent = kNoGroup;
  size_t host = 0;
  PlaneId plane;  // of a device or process
};

// The rows of a track, made at the first request.
class TrackRows {
 public:
  // All arguments must outlive the rows, which lie in the arena.
  TrackRows(const Track& track, std::span<const uint32_t> names, PageArena& arena)
      : track_(track), names_(names), arena_(arena) {}

  // Whether the rows of Lane, or of Merged, are made; and the function that makes them.
  bool made(bool merged) const { return merged && track_.lanes() > 1 ? merged_made_ : lanes_made_; }
  void Make(bool merged) const;
  const SliceRow& Lane(uint32_t lane) const;  // below track.lanes()
  const SliceRow& Merged() const;

 private:
  void MakeLanes() const;

  const Track& track_;
  std::span<const uint32_t> names_;
  PageArena& arena_;
  mutable std::once_flag lanes_once_, merged_once_;
  mutable std::atomic<bool> lanes_made_ = false;
  mutable std::atomic<bool> merged_made_ = false;
  mutable std::vector<SliceRow> lanes_;
  mutable std::unique_ptr<SliceRow> merged_;  // null: the only lane
};

struct TimelineTrack {
  uint32_t id = 0;
  std::string key;
  std::string title;
  std::string type;   // "stream", "thread", "steps", ...
  std::string about;  // a sentence; may be empty
  uint32_t group = kNoGroup;
  int order = 0;         // within its group
  bool derived = false;  // made from other tracks of the timeline
  size_t host = 0;
  const Trace* trace = nullptr;
  TrackId track;

  // For a track of slices: names by event, and the rows.
  std::span<const uint32_t> names{};
  std::unique_ptr<TrackRows> rows{};

  // For a counter instead.
  std::unique_ptr<Counter> counter{};
  std::string unit{};

  const Track& events() const { return trace->track(track); }
  uint64_t size() const { return counter ? counter->points().size() : events().size(); }
  uint32_t lanes() const { return counter ? 1 : events().lanes(); }
  Interval span() const;  // on the run's clock
};

// Tracks and names that are added together.
struct TrackSet {
  std::unique_ptr<PageArena> arena = std::make_unique<PageArena>();  // of their names by event and rows
  uint32_t first_track = 0;
  uint32_t first_name = 0;
  std::vector<TimelineTrack> tracks;
  std::vector<SliceName> names;
};

// Gives the tracks of slices in the set their names and rows.
void FinishTracks(TrackSet& set);

struct Timeline {
  const analyze::LoadedRun* run = nullptr;
  std::vector<Group> groups;
  TrackSet captured;
  Interval span;

  // Makes the timeline of all captured tracks whose events have a time. The run must outlive the timeline.
  // O(events).
  static Timeline Make(const analyze::LoadedRun& run);

  // The group of a host's plane; kNoGroup when the plane has none.
  uint32_t GroupOf(size_t host, PlaneId plane) const { return group_of[host][plane.value]; }

  std::vector<std::vector<uint32_t>> group_of;  // by host and plane
};

}  // namespace gait::timeline

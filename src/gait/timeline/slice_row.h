// SliceRow: the slices of one row of the timeline (a lane of a track, or all its lanes together), and what to
// draw of them in a window of any width.
//
// The slow definition: let the *piece* of a slice be what no earlier slice of the row covers (slices of one
// lane do not overlap: there a piece is the slice). A piece of at least a bucket's length is drawn as itself;
// of the shorter ones every bucket gets the time that they cover in it, how many slices begin in it, the name
// with the most time (heaviest.h) and the first of them. So the pieces drawn, clipped to the window, and the
// buckets sum to the length of the union of the row's slices inside the window, to the picosecond.
//
// The fast method: a forest over the slices in their order, with sums for each 16, 256, 4096, ... of them
// (the idea of an implicit segment forest). A group that lies inside one bucket is added whole; others are
// opened. Any window costs O(buckets * log n), wherever it lies and however dense the row is there.
// Memory: about 3 bytes a slice, and 4 more where a track has several lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gait/base/units.h"
#include "gait/timeline/heaviest.h"
#include "gait/trace/track.h"

namespace gait::timeline {

// buckets of 2^level ps each, from `begin` on.
struct Window {
  Ps begin;
  int level = 0;
  uint32_t buckets = 0;

  Ps width() const { return Ps(int64_t{1} << level); }
  Ps end() const { return begin + width() * buckets; }
};

struct SliceTile {
  struct Slice {
    Ps begin;
    Ps duration;
    uint32_t name;
    uint32_t event;
  };
  struct Bucket {
    uint32_t bucket;
    uint32_t count;  // slices that begin in it
    uint32_t name;
    uint32_t event;
    Ps busy;
  };
  std::vector<Slice> slices;    // in order of begin
  std::vector<Bucket> buckets;  // ascending; those that hold something
};

enum class Drawing : uint8_t {
  kSlices,   // wide pieces as slices
  kBuckets,  // wide pieces too as the time they cover in each bucket
};

class SliceRow {
 public:
  // All events of the track. `names` are by event. Track and names must outlive the row. O(slices).
  SliceRow(const Track& track, std::span<const uint32_t> names);
  // The rows of its lanes, in one pass. The track has more than one.
  static std::vector<SliceRow> Lanes(const Track& track, std::span<const uint32_t> names);

  // Thread-safe.
  SliceTile Look(const Window& window, Drawing drawing) const;

  // The last slice of the row that begins before that time. O(log n).
  std::optional<EventIndex> LastBefore(Ps time) const;

  // The slices before and behind one of the row; invalid: there is none. O(log n).
  std::pair<EventIndex, EventIndex> Beside(EventIndex slice) const;

  size_t size() const { return count_; }
  size_t memory() const;

 private:
  class Painter;

  static constexpr unsigned kShift = 4;  // 16 in a group
  static constexpr size_t kGroup = size_t{1} << kShift;

  struct Sum {
    Ps begin;  // of the first slice
    Ps end;    // behind the last piece and the last begin: nothing of the group lies at or behind it
    Ps busy;
    int8_t longest = -1;  // rounded down logarithm of the longest piece; -1: all are empty
  };
  struct Leaf : Sum {  // of 16 slices
    Majority majority;
  };
  struct Branch : Sum {  // of 16 leaves or branches
    Heaviest heaviest;
  };

  class Builder;
  explicit SliceRow(const Track& track, std::span<const uint32_t> names, size_t expected);

  EventIndex event(size_t i) const { return EventIndex(order_.empty() ? i : order_[i]); }
  Ps begin(size_t i) const { return track_.begin(event(i)); }
  void BuildBranches();
  template <typename Below>
  static std::vector<Branch> BuildAbove(const std::vector<Below>& below);

  const Track& track_;
  std::span<const uint32_t> names_;  // by event
  std::vector<uint32_t> order_;      // the events of a lane, ascending; empty: all of the track
  size_t count_ = 0;
  std::vector<Leaf> leaves_;
  std::vector<std::vector<Branch>> branches_;  // of 256 slices, of 4096, ...
  std::vector<Ps> reached_;  // by leaf: how far earlier slices reach; empty: slices do not overlap
};

}  // namespace gait::timeline

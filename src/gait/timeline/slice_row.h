// SliceRow: the slices of one row of the timeline (a lane of a track, or all its lanes together), and the
// picture of them in a window of any width.
//
// The slow definition. The *piece* of a slice is the part that no earlier slice of the row covers; slices of
// one lane do not overlap, so there a piece is the slice. A piece of at least a bucket's length is drawn as
// itself. Shorter pieces go into buckets. A bucket has the time that these pieces cover in it, the number of
// slices that begin in it, the name with the most time (heaviest.h), and the first slice. So the pieces
// drawn, clipped to the window, and the buckets sum to the length of the union of the row's slices inside the
// window, to the picosecond.
//
// The fast method: a forest over the slices in their order, with sums for each 16, 256, 4096, ... slices (the
// idea of an implicit segment forest). A group that lies inside one bucket is added whole; other groups are
// opened. Any window costs O(buckets * log n), at any place and any density of the row. Where buckets hold
// some 16 slices or more, most of the cost would be the 16 slices around each border between buckets. So the
// sums of these slices on either side are kept for the borders of one such level, which include the borders
// of all coarser levels. Memory: 3 to 4.5 bytes a slice, and 4 more where a track has several lanes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gait/base/page_arena.h"
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
  // A row of all events of the track. `names` are by event. Track, names and arena must outlive the row.
  // Windows that begin at a multiple of their width are faster. O(slices).
  SliceRow(const Track& track, std::span<const uint32_t> names, PageArena& arena);
  // The rows of the track's lanes, made in one pass. The track has more than one lane.
  static std::vector<SliceRow> Lanes(const Track& track, std::span<const uint32_t> names, PageArena& arena);

  // Thread-safe.
  SliceTile Look(const Window& window, Drawing drawing) const;

  // Whether Look reads only sums, except for slices that are drawn and slices around gaps.
  bool KnowsBorders(const Window& window) const;

  // The last slice of the row that begins before `time`. O(log n).
  std::optional<EventIndex> LastBefore(Ps time) const;

  // The slices before and behind a slice of the row; invalid: there is none. O(log n).
  std::pair<EventIndex, EventIndex> Beside(EventIndex slice) const;

  size_t size() const { return count_; }

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

  // The time of a leaf's slices on either side of a time in the leaf; the slices do not overlap. For leaves
  // that are busy for no more than kMostBusy, three days.
  static constexpr uint64_t kMostBusy = (uint64_t{1} << 58) - 1;
  struct Cut {
    Majority before;
    Majority behind;
    uint64_t busy : 58 = 0;    // before it
    uint64_t count : 5 = 0;    // slices that begin before it
    uint64_t reaches : 1 = 0;  // whether the last of them lies on both sides
  };
  static_assert(sizeof(Cut) == 24);

  static constexpr Ps kBefore = Ps(std::numeric_limits<int64_t>::min());
  static float Weight(Ps time) { return static_cast<float>(time.value()); }

  // The slices of a leaf. Slices of a lane lie apart from each other in the columns of the track: fetched
  // together, they cost the processor one wait.
  struct Opened {
    size_t count;
    std::array<EventIndex, kGroup> events;
    std::array<Interval, kGroup> slices;
    std::array<uint32_t, kGroup> names;
  };
  Opened Open(size_t leaf) const {
    Opened opened;
    const size_t first = leaf << kShift;
    opened.count = std::min(kGroup, count_ - first);
    for (size_t i = 0; i < opened.count; ++i) Put(event(first + i), i, opened);
    return opened;
  }
  void Put(EventIndex e, size_t i, Opened& opened) const {
    opened.events[i] = e;
    opened.slices[i] = track_.interval(e);
    opened.names[i] = names_[e.value];
  }

  SliceRow(const Track& track, std::span<const uint32_t> names) : track_(track), names_(names) {}
  // The sums of a leaf before its slice i, where slices do not overlap.
  struct Before {
    Ps busy;
    Majority majority;
  };
  using Befores = std::array<Before, kGroup + 1>;

  void Reserve(size_t count, bool overlap, PageArena& arena);
  void SumLeaves();
  void SumLeaf(size_t k, const Opened& opened);
  static Leaf SumApart(const Opened& opened, Befores& befores);
  static Leaf SumPieces(const Opened& opened, Ps reached);
  void CutLeaf(const Leaf& leaf, const Opened& opened, const Befores& befores);
  void Reach();  // reached_, from the slices
  void AddBranches();
  template <typename Below>
  static std::vector<Branch> BuildAbove(std::span<const Below> below);

  // The number of the last cut that is not behind `time`, which lies in the track's span.
  size_t CutNumber(Ps time) const { return static_cast<size_t>((time - cuts_begin_).value() >> cut_level_); }

  EventIndex event(size_t i) const { return EventIndex(order_.empty() ? i : order_[i]); }
  Ps begin(size_t i) const { return track_.begin(event(i)); }

  const Track& track_;
  std::span<const uint32_t> names_;  // by event
  std::span<uint32_t> order_;        // the events of a lane, ascending; empty: all of the track
  size_t count_ = 0;
  std::span<Leaf> leaves_;
  std::vector<std::vector<Branch>> branches_;  // of 256 slices, of 4096, ...
  std::span<Ps> reached_;  // by leaf: how far earlier slices reach; empty: slices do not overlap
  std::span<Cut> cuts_;    // at cuts_begin_, 2^cut_level_ later, ...; of those that lie in a leaf
  Ps cuts_begin_;
  int cut_level_ = 0;
};

}  // namespace gait::timeline

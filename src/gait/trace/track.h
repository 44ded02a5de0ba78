// Track: one row of events of a capture (a host thread, a GPU stream, a line of a TPU plane), in columns.
//
// Events are in order of begin; at equal begin the longer comes first. Two layouts:
//   nested  host threads, TPU lines: events contain each other. parent() is the innermost event that contains
//           the whole event; of events that overlap in part, neither is the other's parent. What runs at a
//           time is the last event begun before it and those around() that one, as far as they reach it.
//   lanes   GPU streams, device rows of CPU captures: overlap does not mean containment. An event has a
//           parent only where the reader knew it (the body of a `while`).
// lane() is the sub-row to draw an event on: events of one lane do not overlap, except on the last lane of a
// crowded() track.
//
// Memory per event: 22 to 30 bytes (arguments and parents only where a track has any), plus the varying
// values (2 to 3 bytes for a correlation id). All accessors are thread-safe and O(1), depth() is O(depth).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gait/base/ids.h"
#include "gait/base/intervals.h"
#include "gait/base/units.h"
#include "gait/trace/args.h"
#include "gait/trace/string_pool.h"

namespace gait {

using PlaneId = Id<struct PlaneTag>;
using TrackId = Id<struct TrackTag>;
using EventIndex = Id<struct EventTag>;  // within its track

struct EventRef {
  TrackId track;
  EventIndex index;
  friend auto operator<=>(const EventRef&, const EventRef&) = default;
};

enum class TrackKind : uint8_t {
  kThread,      // host thread
  kStream,      // GPU stream: kernels, copies
  kOps,         // executions of HLO operations: TPU "XLA Ops", device rows of CPU captures
  kAsyncOps,    // TPU "Async XLA Ops"
  kModules,     // executions of programs: "XLA Modules"
  kSteps,       // "Steps"
  kCounters,    // samples: "_counters_"
  kOverhead,    // the profiler's own: "CUPTI overhead"
  kAggregated,  // events that are counts without a time (num_occurrences)
  kOther,       // further lines of device planes: name scopes, source code, sync flags
};

enum class Layout : uint8_t { kNested, kLanes };

struct TrackInfo {
  PlaneId plane;
  int64_t id = 0;          // of the file: stream id, or a hash of the thread
  StringId name;           // "Stream #14(Compute)", "python3"
  StringId display_name;   // what a viewer should show instead; often empty
  int64_t display_id = 0;  // tracks of one plane with the same one share a row
  TrackKind kind = TrackKind::kOther;
  Layout layout = Layout::kNested;
  bool derived = false;  // computed from other tracks: never count its time twice
  Ps offset;             // the line's own time stamp: added to every event already
};

class Track {
 public:
  const TrackInfo& info() const { return info_; }
  size_t size() const { return begin_.size(); }

  Ps begin(EventIndex i) const { return Ps(begin_[i.value]); }
  Ps duration(EventIndex i) const {
    const uint32_t d = duration_[i.value];
    return Ps((d & kLong) == 0 ? int64_t{d} : long_durations_[d & ~kLong]);
  }
  Ps end(EventIndex i) const { return begin(i) + duration(i); }
  Interval interval(EventIndex i) const { return {begin(i), end(i)}; }
  StringId name(EventIndex i) const { return StringId(name_[i.value]); }
  ArgSetId args(EventIndex i) const { return args_.empty() ? kNoArgs : ArgSetId(args_[i.value]); }

  bool has_parents() const { return !parent_.empty(); }  // any event has one
  EventIndex parent(EventIndex i) const {
    return parent_.empty() ? EventIndex() : EventIndex(parent_[i.value]);
  }
  // The latest event before this one that still runs when this one begins: the parent, but for events that
  // overlap in part. O(1), O(log of those) on a track that has any.
  EventIndex around(EventIndex i) const;
  uint32_t depth(EventIndex i) const;  // how many events stand above it: 0 without a parent
  uint32_t lane(EventIndex i) const { return lane_[i.value]; }
  uint32_t lanes() const { return lanes_; }  // how many the track needs
  bool crowded() const { return crowded_; }  // more than the limits allow: the last lane holds the rest

  // Values of the event's varying arguments, in the order of its set.
  const uint8_t* values(EventIndex i) const {
    return value_offset_.empty() ? nullptr : values_.data() + value_offset_[i.value];
  }

  // From the first begin to the last end; empty for a track without events.
  Interval span() const { return span_; }
  // The sum of all durations, overlaps counted as often as they occur.
  Ps total_duration() const { return total_duration_; }
  // The first event that begins at or after t. Earlier events may reach beyond t.
  EventIndex LowerBound(Ps t) const;
  // The same, by a search backwards from `at_most`, which is not before the result. O(log distance).
  EventIndex LowerBound(Ps t, EventIndex at_most) const;

  size_t memory() const;  // bytes of the columns on the heap

 private:
  friend class TrackWriter;
  friend class TraceBuilder;
  friend class Trace;

  void MoveBy(Ps offset);

  // Durations of 2^31 ps (2.1 ms) and more do not fit the column: there it holds an index into
  // long_durations_.
  static constexpr uint32_t kLong = 0x80000000;

  TrackInfo info_;
  std::vector<int64_t> begin_;
  std::vector<uint32_t> duration_;
  std::vector<int64_t> long_durations_;
  std::vector<uint32_t> name_;
  std::vector<uint32_t> args_;          // empty: no event has arguments
  std::vector<uint32_t> value_offset_;  // empty: no event has varying arguments
  std::vector<uint8_t> values_;
  std::vector<uint32_t> parent_;                       // empty: no event has a parent
  std::vector<std::pair<uint32_t, uint32_t>> around_;  // where it is not the parent, in order of events
  std::vector<uint16_t> lane_;
  uint32_t lanes_ = 0;
  bool crowded_ = false;
  Interval span_;
  Ps total_duration_;
};

}  // namespace gait

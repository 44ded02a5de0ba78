// Idle time and its causes.
//
//   gap       a maximal interval in which no work of the device runs (the union of all its tracks)
//   ended by  the first work that begins at the gap's end; its host call is the launch
//
// The launch cuts the gap [g, k) into pieces, with [b, e) the call:
//   [g, b)    the host was late. Each instant has the cause of the launching thread's event at that instant.
//             Where the launching thread has none, the Python thread's event counts, or the input or the
//             results that the Python thread waited for (inferred_waits.h). Where the work is a copy of a
//             callback's arguments or results, all of the piece is the callback.
//   [b, e)    the launch itself
//   [e, k)    the launch's latency, if it is kMostLaunchDelay or less; else all of the piece is a dependency
// The device itself held work that was launched before the gap began, and work of a call that had begun to
// run already (the nodes of a graph, the operations of a program). Such a gap is a gap between kernels up to
// kMostKernelGap. A longer one is a dependency, or a peer where a collective ends the gap and another device
// came to the collective later. The first work of a call waits for its arguments: while any thread of the
// host stages data, the cause is staging.
//
// Unit: picoseconds. Identity: per device and window the causes sum to the idle time of the partition
// (partition.h), exactly: every picosecond of a gap has one cause.
#pragma once

#include <array>
#include <vector>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/host/idle_cause.h"
#include "gait/analyze/question/idle/host_scene.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct IdleGap {
  Interval time;      // inside one window
  TimeByCause by;     // sums to its length
  IdleCause cause;    // that of most of it
  const Step* step;   // null outside of steps
  EventRef ended_by;  // invalid track: nothing follows
  EventRef call;      // invalid track: not in the capture
  bool first;         // what ends it is the first work of its call
  HostScene scene;
};

// The limits of the table of gap lengths. The last class of lengths has no limit.
inline constexpr Ps kGapLimits[] = {Microseconds(10), Microseconds(100), Milliseconds(1), kMaxTime};
struct GapClass {
  uint64_t gaps = 0;
  Ps time;
};

struct DeviceIdle {
  const Device* device;
  Ps window;                                 // total
  Ps idle;                                   // total
  TimeByCause by{};                          // sums to idle
  std::array<uint64_t, kIdleCauses> gaps{};  // by the cause of most of the gap
  std::array<GapClass, std::size(kGapLimits)> lengths{};
  std::vector<IdleGap> longest;  // those of at least kListedGap, in order of time
  std::vector<IdleGap> shorter;  // the longest others, as many as kListedGaps lacks, the longest first
  struct OfStep {
    const Step* step;
    Ps idle;
    TimeByCause by{};
  };
  std::vector<OfStep> steps;  // of the first series, in order; those inside the windows
};

struct HostIdle {
  const HostView* view;
  std::vector<DeviceIdle> devices;  // like view->devices
};

// Shorter gaps are counted. They are listed only where a device has fewer than kListedGaps gaps of this
// length.
inline constexpr Ps kListedGap = Microseconds(10);
inline constexpr size_t kListedGaps = 20;

// Made once and kept with the view. O(events), for each device.
const HostIdle& FindIdle(const HostView& view);

// A part of a gap that has one cause.
struct IdlePart {
  Interval time;
  IdleCause cause;
  EventRef ended_by;  // of the whole gap; invalid track: nothing follows
  EventRef call;      // invalid track: not in the capture
};

// All idle time of a device in order of time, from the host's first device work or window to its last.
// O(events).
std::vector<IdlePart> FindIdleParts(const HostView& view, size_t device);

}  // namespace gait::analyze

// Collectives: what communication cost, and who waited for whom.
//
//   execution   one collective in one run of its program on all devices of one group, matched by run id and
//               position in the run, or by position in the capture
//   time        of an execution: its duration on the fastest device. That device joined last and did not
//               wait. Of a collective: the median over its executions. Where it is unknown which devices
//               meet: the smallest of the devices' medians, which may hold waiting
//   exposed     on one device: U(communication) \ U(compute); hidden: U(communication) n U(compute)
//   wait        of an execution: largest - smallest exposed time over its devices
//   waited      of a device in an execution: its exposed time - the smallest
//   skew        of an execution: latest - earliest start over its devices, clocks of hosts aligned
//   straggler   of a set of at least kFewestForStraggler executions. The skew of an execution counts for the
//               device that starts last. The straggler is the device whose skew, without its largest (one
//               late start makes no straggler), exceeds the skew of all other devices. A host is the
//               straggler instead, where this holds for executions in which several devices of the host, and
//               no others, start within a tenth of the skew before the last
//
// U is the union of intervals, so overlapping collectives and streams count once. Compute is the work of
// class compute without the loops and calls that only contain other operations. Bandwidths:
// collective_kind.h; clocks: alignment.h. Times of devices and kinds are clipped to the windows of the view;
// an execution counts whole when it ends inside a window of one of its devices. Unit: picoseconds, integers.
//
// Identities, per device: exposed + hidden = U(communication); per execution: time <= its time on any device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/collectives/alignment.h"
#include "gait/analyze/collectives/collective_runs.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

// The fewest executions in which a straggler is named.
inline constexpr uint64_t kFewestForStraggler = 3;

// Late starts of a set of executions: which device began last, and the skew that this cost.
struct LateStarts {
  uint64_t executions = 0;
  Ps skew;                     // sum
  std::vector<uint64_t> last;  // by device: in how many it started last
  std::vector<Ps> skew_of;     // by device: sum of the skew of those
  std::vector<Ps> largest_of;  // by device: the largest of them
  std::vector<Ps> together;    // by host: sum of the skew where several of its devices came last together
  std::vector<Ps> largest_together;
  std::optional<size_t> device;  // the straggler
  std::optional<size_t> host;    // the straggler, where its devices come late together: then no device is

  double share_last(size_t d) const {
    return executions == 0 ? 0 : static_cast<double>(last[d]) / static_cast<double>(executions);
  }
};

struct CollectiveStats {
  size_t operation = 0;     // into CollectiveExecutions::operations
  uint64_t executions = 0;  // per group
  uint64_t on_devices = 0;  // executions times devices
  uint64_t devices = 0;     // that executed it
  uint64_t incomplete = 0;  // executions that devices of the group are missing from: not in what follows
  std::optional<Ps> time;   // median over executions, fastest device
  std::optional<Ps> mean;   // the same, mean
  std::optional<double> algorithm_bandwidth;  // bytes per second, of `time`
  std::optional<double> bus_bandwidth;
  Ps exposed;  // sum over devices and executions
  Ps hidden;
  // Unknown where the capture does not tell which devices belong together, or holds one device of each group.
  std::optional<Ps> wait;  // sum over executions, mean over groups
  std::optional<Ps> skew;  // median over executions
  std::optional<Ps> largest_skew;
  LateStarts late;
  std::vector<Ps> waited;               // by device of the run: sum over executions
  std::vector<uint64_t> executions_on;  // by device: in which it met others
};

struct CollectiveKindStats {
  CollectiveKind kind = CollectiveKind::kOther;
  uint64_t operations = 0;
  uint64_t executions = 0;
  std::optional<double> bytes;  // messages of all executions on all devices; unknown if one is
  Ps exposed;                   // sum over devices of the union of the kind
  Ps hidden;
  std::optional<Ps> wait;
};

struct CollectiveDeviceStats {
  Ps window;
  Ps exposed;
  Ps hidden;
  Ps waited;                // sum over executions
  uint64_t executions = 0;  // in which it met others
};

struct HostShift {
  Ps shift;              // subtracted from the host's times: clocks aligned with the first host's
  bool aligned = false;  // false: no collective joins it with the first host
};

struct CollectivesResult {
  CollectiveExecutions found;
  std::vector<CollectiveStats> collectives;    // largest exposed time first
  std::vector<CollectiveKindStats> kinds;      // the same
  std::vector<CollectiveDeviceStats> devices;  // by device of the run
  std::vector<ClockOffset> clocks;             // by device of the run
  std::vector<HostShift> hosts;                // by host of the view
  LateStarts late;                             // over all executions
  int64_t steps = 0;                           // 0: none; totals cover the whole capture
  int64_t device_steps = 0;

  Ps waited() const;  // by all devices
};

// Made once and kept with the view.
const CollectivesResult& AnalyzeCollectives(const RunView& view);

// The straggler of all collectives: "CPU 3", "CPU 3 of host1", "host1"; empty: there is none.
std::string StragglerOf(const RunView& view, const CollectivesResult& result);

}  // namespace gait::analyze

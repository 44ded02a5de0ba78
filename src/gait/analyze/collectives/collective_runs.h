// The collectives of a run and when each device executed them.
//
// A collective is an HLO instruction. A start and its done are one collective, from the begin of the start to
// the end of the done (async_operations.h). Communication kernels without a known instruction are told apart
// by their names. The same instruction of the same program on another host is the same collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/collectives/collective_kind.h"
#include "gait/analyze/view/run_view.h"
#include "gait/base/intervals.h"

namespace gait::analyze {

// A device of the view, counted over all hosts.
struct RunDevice {
  size_t host = 0;    // into RunView::hosts
  size_t device = 0;  // into HostView::devices
  std::string name;   // "CPU 3"
};
std::vector<RunDevice> DevicesOf(const RunView& view);

struct CollectiveOperation {
  std::string name;     // of the instruction, or of the kernel
  std::string program;  // empty: belongs to none
  std::optional<uint64_t> program_id;
  std::string scope;   // op_name
  std::string source;  // "model.py:12"
  CollectiveKind kind = CollectiveKind::kOther;
  int64_t group_size = 0;                // n; 0: unknown
  int64_t groups = 0;                    // how many groups execute it side by side; 0: unknown
  std::optional<int64_t> message_bytes;  // of one execution on one device
  std::string unknown_because;           // of the message or the group
  // The group of each device of the run. Devices whose partners are unknown have a group each, numbered from
  // `groups` on.
  std::vector<uint32_t> group_of;
  bool members_known = false;  // the capture tells which devices belong together
};

struct DeviceExecution {
  uint32_t operation = 0;  // into CollectiveExecutions::operations
  uint32_t device = 0;     // into CollectiveExecutions::devices
  int64_t run = 0;         // run id of the program's execution, where there is one
  uint32_t number = 0;     // which execution of the operation within the run, or in the capture
  Interval time;           // in the host's own clock
};

struct CollectiveExecutions {
  std::vector<RunDevice> devices;
  std::vector<CollectiveOperation> operations;  // in order of first appearance
  std::vector<bool> by_run;                 // by operation: executions are matched by run id, else by order
  std::vector<DeviceExecution> executions;  // by device, in order of begin
  // The communication of each device by kind. The time between a start and its done counts.
  std::vector<std::vector<IntervalSet>> communication;
};

// Linear in the events of the devices; arguments are looked at for communication only.
CollectiveExecutions FindCollectives(const RunView& view);

}  // namespace gait::analyze

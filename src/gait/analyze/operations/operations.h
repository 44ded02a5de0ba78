// Operations: where the device time of a view went, operation by operation.
//
//   self        length of the instants that the operation owns (self_time.h), inside the windows of the view
//   time        length of the union of its own events on a device, inside the windows
//   events      events that begin inside the windows
//   executions  how often it ran (op_runs.h), from the events that begin inside the windows
//   flops       cost of one execution (Instruction::cost, from the shapes alone) times executions
//   bytes       the same, read and written
// All are sums over the devices of the view. A loop, branch or call whose body has events of its own costs
// nothing itself: the body's operations have the cost.
//
// Identity: the self times of all operations, with the operations that belong to no instruction, sum to the
// busy time of the windows, to the picosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/operations/coverage.h"
#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct OpTotal {
  Operation what;
  Ps self;
  Ps compute;  // the part of self in which it computed: without its copies and memsets
  Ps time;
  uint64_t events = 0;
  uint64_t executions = 0;
  std::optional<double> flops;
  std::optional<double> bytes;
  std::string unknown_because;  // why flops or bytes are not known
};

struct Operations {
  std::vector<OpTotal> totals;
  // By device over all hosts: the parts of events inside the windows, and the self time by operation.
  std::vector<Coverage> coverage;
  std::vector<std::vector<Ps>> self;
  Ps window;  // of all devices
  Ps busy;
  int64_t device_steps = 0;  // what a sum is divided by to get "per step"; 0: there are no steps
};

// Made once and kept with the view.
const Operations& FindOperations(const RunView& view);

// The same, with operations told apart by the host scopes that launched them (Operation::host). Where there
// are no host scopes, the result is that of FindOperations.
const Operations& FindOperationsByHostScope(const RunView& view);

// Self time of other programs that ran beside a selected program.
Ps TimeOfOtherPrograms(const Operations& operations);

// By group: the length of the union of the events of its operations, summed over devices (coverage.h).
std::vector<Ps> GroupTimes(const Operations& operations, const Membership& membership);

}  // namespace gait::analyze

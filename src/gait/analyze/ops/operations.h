// Operations: where the device time of a view went, operation by operation.
//
//   self        length of the instants that the operation owns (self_time.h), inside the windows of the view
//   time        length of the union of its own events on a device, inside the windows
//   events      events that begin inside the windows
//   executions  how often it ran (executions.h), from the events that begin inside the windows
//   flops       cost of one execution (Instruction::cost, from the shapes alone) times executions
//   bytes       the same, read and written
// All are sums over the devices of the view. A loop, branch or call whose body has events of its own costs
// nothing itself: the body's operations have the cost.
//
// Identity: the self times of all operations, those that belong to no instruction included, sum to the busy
// time of the windows, to the picosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/ops/operation_index.h"
#include "gait/analyze/view.h"

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

// The part of an event inside a window.
struct OpPiece {
  Interval time;
  uint32_t operation;
};

struct Operations {
  std::vector<OpTotal> totals;
  std::vector<std::vector<OpPiece>> pieces;  // by device over all hosts, in order of begin
  Ps window;                                 // of all devices
  Ps busy;
  int64_t device_steps = 0;  // what a sum is divided by to get "per step"; 0: there are no steps
};

// Made once and kept with the view.
const Operations& FindOperations(const RunView& view);

// Groups of operations. One operation may be in several: a scope and those around it.
struct Membership {
  size_t groups = 0;
  std::vector<std::vector<uint32_t>> of;  // by operation
};

// By group: the length of the union of its operations' events, summed over devices. Linear in the pieces
// times groups per operation.
std::vector<Ps> GroupTimes(const Operations& operations, const Membership& membership);

}  // namespace gait::analyze

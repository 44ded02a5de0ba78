// The executions of one operation, each with its time: those that FindOperations counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/operation_index.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct OneExecution {
  size_t host;     // of the view
  EventRef event;  // the first
  Ps begin;
  Ps time;  // length of the union of its events
};

// Of an operation of the index, device by device in order of time. The events of an execution are those of
// one run of the program (executions.h); where runs cannot be told apart, in loops and on asynchronous lines,
// each of m executions has the same number of the n events of one name, in their order. O(events).
std::vector<OneExecution> ListExecutions(const RunView& view, const OperationIndex& index,
                                         uint32_t operation);

// The operation of that name of the program with this id; "none": of no program that the capture has; empty:
// of the first that has one.
std::optional<uint32_t> FindOperation(const OperationIndex& index, std::string_view name,
                                      std::string_view program_id);

}  // namespace gait::analyze

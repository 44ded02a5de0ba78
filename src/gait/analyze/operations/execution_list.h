// The executions of one operation, each with its time: the executions that FindOperations counts.
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

// The executions of an operation of the index, device by device in order of time. The events of an execution
// are the operation's events in one run of the program (op_runs.h). Where runs cannot be told apart (in loops
// and on asynchronous lines), the n events of one name are dealt to the m executions in order, the same
// number to each. O(events).
std::vector<OneExecution> ListExecutions(const RunView& view, const OperationIndex& index,
                                         uint32_t operation);

// The operation of that name. `program` is the id of its program; "none": the operation is of no program in
// the capture; empty: the first program with such an operation.
std::optional<uint32_t> FindOperation(const OperationIndex& index, std::string_view name,
                                      std::string_view program_id);

}  // namespace gait::analyze

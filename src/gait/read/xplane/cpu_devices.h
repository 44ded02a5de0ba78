// Device rows of CPU captures. XLA:CPU has no device plane: operations run on shared pool threads and name
// their device only in the argument device_ordinal; an asynchronous operation's event is its launch. It is
// done when the event "end: <operation>" begins, joined by producer and consumer id, but not after its run
// was complete:
//
//   end(operation) = max(end of its event, min(begin of "end: <operation>", complete(run, device)))
//   complete       = end of "ThunkExecutor::Execute (wait for completion)" with its run_id and device_ordinal
//
// A thread of the pool writes the end event only after it has told who waits for the operation, and may be
// preempted in between: the event can be milliseconds late. Without the run's event (a capture that ends
// inside the run; versions that do not write it, or not with these arguments) the end event alone decides.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Adds one plane /device:CPU:N with one derived track of operations per device_ordinal, when no other
// device did anything (a process on the CPU of a machine with a GPU has an empty plane of that). An operation
// inside another's body (while, conditional, call) keeps it as its parent.
void AddCpuDevices(TraceBuilder& builder);

}  // namespace gait::xplane

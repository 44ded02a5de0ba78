// Device rows of CPU captures. XLA:CPU has no device plane: operations run on shared pool threads and name
// their device only in the argument device_ordinal; an asynchronous operation's event is its launch. The
// event "end: <operation>", joined by producer and consumer id, tells that it is done, but may be late:
//
//   end(operation) = max(end of its event, min(begin of "end: <operation>", continued, complete(run,
//   device))) continued      = begin of the first operation or "ThunkExecutor::Execute" of the task that
//   finished it complete       = end of "ThunkExecutor::Execute (wait for completion)" with its run_id and
//   device_ordinal
//
// The task of the pool (StartRegion to StopRegion) that finishes an operation runs what waited for it first,
// and then writes the end event, as the last of the task; in between it may be preempted. So what the task
// runs begins where the operation had ended. A loop, branch or call is never cut there: what runs may be the
// rest of its body. Without such a task, or without the run's event (a capture that ends inside the run;
// versions that do not write it, or not with these arguments), the end event alone decides.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Adds one plane /device:CPU:N with one derived track of operations per device_ordinal, when no other
// device did anything (a process on the CPU of a machine with a GPU has an empty plane of that). An operation
// inside another's body (while, conditional, call) keeps it as its parent.
void AddCpuDevices(TraceBuilder& builder);

}  // namespace gait::xplane

// Device rows of CPU captures. XLA:CPU has no device plane: operations run on shared pool threads and name
// their device only in the argument device_ordinal; an asynchronous operation's event is its launch. The
// event "end: <operation>", joined by producer and consumer id, tells that it is done, but may be late:
//
//   end(operation) = max(end of the operation's event,
//                        min(begin of "end: <operation>", continued, complete))
//   continued      = begin of the first operation or "ThunkExecutor::Execute" of the task that finished the
//                    operation
//   complete       = end of "ThunkExecutor::Execute (wait for completion)" with the operation's run_id and
//                    device_ordinal
//
// A task of the pool (StartRegion to StopRegion) finishes an operation. The task first runs the operations
// that waited for this one, and writes the end event last; in between the thread may be preempted. So the
// operation ended where the task's next operation began. A loop, branch or call is never cut there: the next
// operation may be the rest of its body. Where there is no such task or no such event of the run (the capture
// ends inside the run, or the version does not write the event or its arguments), the end event alone
// decides.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Adds one plane /device:CPU:N with one derived track of operations per device_ordinal, if no other device
// did anything (a process on the CPU of a machine with a GPU has an empty plane of the GPU). An operation
// inside the body of a while, conditional or call has this while, conditional or call as its parent.
void AddCpuDevices(TraceBuilder& builder);

}  // namespace gait::xplane

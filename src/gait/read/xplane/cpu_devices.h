// Device rows of CPU captures. XLA:CPU has no device plane: operations run on shared pool threads and name
// their device only in the argument device_ordinal; an asynchronous operation's event is its launch, and it
// is done when the event "end: <operation>" begins, joined by producer and consumer id.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// Adds one plane /device:CPU:N with one derived track of operations per device_ordinal, when no other
// device did anything (a process on the CPU of a machine with a GPU has an empty plane of that). An operation
// inside another's body (while, conditional, call) keeps it as its parent.
void AddCpuDevices(TraceBuilder& builder);

}  // namespace gait::xplane

// Asynchronous copies and collectives of devices that write a line of operations (TPUs). Such an operation is
// two events there, its start and its done; in between the device does other work while it is in flight:
//
//   in flight = [begin of the start, end of the done)
//
// Some devices write that too, on a line "Async XLA Ops"; others leave the line empty or out. This is the one
// place where starts and dones are paired; every analysis takes operations in flight from a track of kind
// kAsyncOps and need not know who wrote it.
//
// A done belongs to the last start before it that its HLO instruction waits for, in the same execution of the
// program. A start or done without the other, in a capture that was cut, is only the event that it is: how
// long the operation was in flight is not known.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait {

// Adds a derived track of kind kAsyncOps to each device with pairs that no line of the file shows. Its events
// are called as the start and have the arguments of the done, as in files that have the line. To be called
// when events are attributed. O(argument sets), and O(events) for devices with a line of operations where
// any instruction is a done.
void AddAsyncOperations(TraceBuilder& builder);

}  // namespace gait

// Asynchronous copies and collectives of devices that write a line of operations (TPUs). Such an operation is
// two events on the line, its start and its done. In between the operation is in flight, and the device does
// other work:
//
//   in flight = [begin of the start, end of the done)
//
// Some devices write this interval too, on a line "Async XLA Ops"; others leave the line empty or out. Starts
// and dones are paired only here; every analysis takes operations in flight from a track of kind kAsyncOps,
// whoever wrote the track.
//
// A done belongs to the last start before it that its HLO instruction waits for, in the same execution of the
// program. In a capture that was cut, a start without its done, or a done without its start, stays a plain
// event: the time in flight is not known.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait {

// Adds a derived track of kind kAsyncOps to each device with pairs that no line of the file shows. An event
// of the track has the name of the start and the arguments of the done, as in files that have the line. To be
// called when events are attributed. O(argument sets), and O(events) for devices with a line of operations
// where any instruction is a done.
void AddAsyncOperations(TraceBuilder& builder);

}  // namespace gait

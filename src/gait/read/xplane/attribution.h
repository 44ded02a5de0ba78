// Which HLO instruction an event executes, decided per argument set (trace.h: Trace::attribution).
//
// Outside CUDA graphs a kernel names its instruction: program_id and hlo_op. Inside a graph it names only the
// launch (hlo_op = command_buffer_N); there cuda_graph_node_id & 0xffffffff is the position of the command
// among the commands of the buffer, and those are the instructions of one computation in schedule order,
// without the ones that launch nothing (parameter, tuple, get-tuple-element, bitcast, constant). A library
// call has no node at its own position: its kernels are child nodes, numbered from the number of commands on
// in the order of the missing positions.
//
// The rule is checked before it is trusted: number of commands, class of every kernel, order. A graph that
// does not fit is attributed to nothing, with the reason.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// One attribution per argument set of the trace.
std::vector<Attribution> Attribute(const Trace& trace);

}  // namespace gait::xplane

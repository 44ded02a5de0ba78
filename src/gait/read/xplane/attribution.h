// The HLO instruction that an event executes, decided per argument set (trace.h: Trace::attribution).
//
// Outside CUDA graphs a kernel names its instruction: program_id and hlo_op. Inside a graph it names only the
// launch (hlo_op = command_buffer_N), and cuda_graph_node_id & 0xffffffff is the position of its command in
// the buffer. The commands of a buffer are the instructions of one computation in schedule order, without the
// instructions that launch nothing (parameter, tuple, get-tuple-element, bitcast, constant). A library call
// has no node at its own position: its kernels are child nodes. Child nodes are numbered from the number of
// commands on, in the order of the missing positions.
//
// The rule is checked before it is trusted: number of commands, class of every kernel, order. The kernels of
// a graph that does not fit are attributed to no instruction, with the reason.
#pragma once

#include "gait/trace/trace_builder.h"

namespace gait::xplane {

// One attribution per argument set of the trace.
std::vector<Attribution> Attribute(const Trace& trace);

}  // namespace gait::xplane

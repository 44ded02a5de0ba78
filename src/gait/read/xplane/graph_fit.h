// Fits the nodes of one CUDA graph, as seen on the device, to the commands of the program that launched it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "gait/base/units.h"
#include "gait/read/xplane/graph_commands.h"
#include "gait/trace/program.h"

namespace gait::xplane {

struct GraphNode {
  std::string_view kernel;
  int64_t launch = 0;  // the first launch that ran the node, and when it began there
  Ps begin;
};

struct SeenGraph {
  std::map<uint32_t, GraphNode> nodes;  // by node index
  std::optional<int64_t> commands;      // as the host counted them
  InstructionIndex before;  // what the program ran outside graphs just before and after the first launch
  InstructionIndex after;
};

// By node index, the instruction of each node; nodes that fit no instruction are left out. Empty when the
// graph as a whole does not fit the program: too many nodes of another class, or several places that fit
// equally well.
std::map<uint32_t, InstructionIndex> FitGraph(const Program& program, const SeenGraph& graph, FitWork& work);

}  // namespace gait::xplane

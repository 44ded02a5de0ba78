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
  std::optional<int64_t> number;        // 31 of command_buffer_31; numbers grow along the schedule
  InstructionIndex before;  // what the program ran outside graphs just before and after the first launch
  InstructionIndex after;
};

// The commands of a computation that a graph has.
struct GraphPlace {
  ComputationIndex computation;
  size_t begin = 0;
  size_t end = 0;
  std::optional<int64_t> number;  // of the graph
};

struct GraphFit {
  // The instruction of each node, by node index, without nodes that fit no instruction. Empty when the graph
  // as a whole does not fit the program: too many nodes of another class, or several places that fit equally
  // well.
  std::map<uint32_t, InstructionIndex> nodes;
  GraphPlace place;
  bool ambiguous = false;
};

// `placed` are other graphs of the program. The graph has none of their commands, and comes before or after
// them by its number. A graph of the same number has the same commands.
GraphFit FitGraph(const Program& program, const SeenGraph& graph, const std::vector<GraphPlace>& placed,
                  FitWork& work);

}  // namespace gait::xplane

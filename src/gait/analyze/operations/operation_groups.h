// Groups of operations: time and work by scope, category or whatever a person asks for.
//
// self, events, executions, flops and bytes of a group are sums over its operations; time is the length of
// the union of their events on a device, summed over devices. Identity: the self times of the rows (in a
// tree: of the rows at depth 0, or the `own` times of all rows) sum to the busy time. Operations that belong
// to no instruction have rows of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gait/analyze/operations/operations.h"
#include "gait/analyze/operations/roofline.h"

namespace gait::analyze {

enum class GroupBy : uint8_t { kOp, kScope, kCategory, kSource, kProgram, kLayer, kShape };
std::string_view Name(GroupBy by);                           // "op", "scope", ...
std::optional<GroupBy> ParseGroupBy(std::string_view word);  // nullopt: no such word

struct OpGroup {
  std::string name;     // "fusion.12", "matmul", "layer_*"
  std::string path;     // of a tree: with everything above it; else the name
  int depth = 0;        // of a tree
  std::string program;  // empty: of several programs, or of none
  std::optional<uint64_t> program_id;
  std::string category;      // empty: of several
  std::string scope;         // of one operation: its op_name's path
  std::string source;        // of one operation
  std::string unattributed;  // UnattributedName; empty: of instructions, or of several reasons
  std::optional<Pass> pass;  // nullopt: of several
  bool of_host = false;      // of a tree: a scope of the host, not of a program
  std::string caller;        // the host's frame that launched it; empty: of several, or not recorded
  Ps self;
  Ps own;  // self time of the operations of the row itself, without the rows below it
  Ps time;
  uint64_t operations = 0;
  uint64_t events = 0;
  uint64_t executions = 0;
  Work work;
  // Of rows of repeated layers.
  uint64_t layers = 1;
  Ps layer_min;  // self times of the layer that took least and most
  Ps layer_max;
  std::string slowest_layer;  // the path of that one
};

// The rows with the most self time come first; in a tree rows follow their parent. Operations without an
// event in the windows are left out.
std::vector<OpGroup> GroupOperations(const Operations& operations, const std::vector<OpRoof>& roofs,
                                     GroupBy by);

// The name for an operation that belongs to no instruction. "(unattributed) copies" and "kernels" are outside
// any program; for the other names the HLO was not captured, or does not fit the work.
std::string UnattributedName(const Operation& operation);

// "layer_3" as "layer_*", "blocks[3]" as "blocks[*]". A name without a number at its end stays as it is.
std::string WithoutNumber(std::string_view element);

}  // namespace gait::analyze

// The commands that a program puts into a CUDA graph, in schedule order, and the node slots that each command
// takes.
//
// Nodes of one graph are numbered in order; the nodes of nested graphs follow after all of their parent's,
// depth first, in the order of the nodes that hold them. Seen on XLA of 2025 and 2026:
//   kernel, copy   one node
//   sort, scatter  copies of their operands may come first, and further kernels may follow (sort_3,
//                  sort_3__1, ...), a node and a command each
//   async-start    one silent node with a nested graph of one node: a copy, which is a slice of a loop's
//                  array; the async-done takes no node
//   library call   one node without an event, with a nested graph of the library's kernels (and some silent
//                  nodes)
//   while          the condition's commands, set_while_condition, one silent node whose nested graph is the
//                  body, the condition and set_while_condition again
//   conditional    set_case_condition, one silent node per branch whose nested graph is the branch; branches
//                  come in the order of the program or in reverse (false before true)
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gait/base/limits.h"
#include "gait/trace/program.h"

namespace gait::xplane {

// The budget for fitting the graphs of a capture. Where computations are called from several places, a few
// lines of a program may expand without end. When the budget is spent, nothing fits any more.
class FitWork {
 public:
  explicit FitWork(size_t nodes) : left_(limits::kFitWork + limits::kFitWorkPerNode * nodes) {}

  bool Spend(size_t amount = 1) {
    left_ -= std::min(left_, amount);
    return left_ > 0;
  }
  bool spent() const { return left_ == 0; }

 private:
  size_t left_;
};

// The instructions of a computation that launch something, in the order in which they run; calls are
// expanded.
std::vector<InstructionIndex> CommandsOf(const Program& program, ComputationIndex computation, FitWork& work);

// A place for one node, or for several.
struct Slot {
  enum class Kind {
    kKernel,     // one event: a kernel, copy or memset of the instruction
    kSeveral,    // one or more: copies of a sort's operands, and its kernels
    kCondition,  // one event: set_while_condition, set_case_condition
    kSilent,     // a node without an event
    kLibrary,    // one or more events inside the nested graph of a library call
  };
  Kind kind = Kind::kKernel;
  InstructionIndex instruction;
};

struct CommandSlots {
  std::vector<Slot> own;     // nodes of the graph that the command stands in
  std::vector<Slot> nested;  // nodes of its nested graphs, depth first
};
enum class BranchOrder { kListed, kReversed };
CommandSlots SlotsOf(const Program& program, InstructionIndex command, BranchOrder order, FitWork& work);

// Whether the event of a node can be the work of an instruction, by class. XLA gives identical fusions one
// kernel, named after the first of them, so names agree except for their number.
bool KernelFits(const Program& program, InstructionIndex instruction, std::string_view kernel);
bool IsCondition(std::string_view kernel);  // set_while_condition, set_case_condition
bool IsCopyOrMemset(std::string_view kernel);
// Whether a kernel is a further kernel of the operation of `first`: sort_3__2 after sort_3.
bool IsFurtherKernel(std::string_view kernel, std::string_view first);
// Whether a kernel may be a further kernel of any operation.
bool IsFurtherKernel(std::string_view kernel);

// "loop_add_fusion.12" and "loop_add_fusion_3" have the stem "loop_add_fusion".
std::string NameStem(std::string_view name);

}  // namespace gait::xplane

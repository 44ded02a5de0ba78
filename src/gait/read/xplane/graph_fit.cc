#include "gait/read/xplane/graph_fit.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "gait/base/limits.h"
#include "gait/read/xplane/graph_commands.h"

namespace gait::xplane {
namespace {

// Costs of a fit. A node that was not seen is cheap: branches not taken have no events, and libraries have
// silent nodes. A node of the wrong class is dear: one in fifty is the most that a fit may have.
constexpr int kUnseen = 1;
constexpr int kMisfit = 16;
constexpr size_t kMisfitsPerNode = 50;
// Node numbers below so many times the nodes that were seen are looked up in a table.
constexpr size_t kDense = 8;

struct Fit {
  GraphFit graph;  // without nodes: none
  size_t cost = 0;
};

// Whether two graphs may be where they are.
bool Agree(const GraphPlace& a, const GraphPlace& b) {
  if (a.computation != b.computation || !a.number || !b.number) return true;
  if (*a.number == *b.number) return a.begin == b.begin && a.end == b.end;
  return *a.number < *b.number ? a.end <= b.begin : b.end <= a.begin;
}

class GraphFitter {
 public:
  GraphFitter(const Program& program, const SeenGraph& graph, const std::vector<GraphPlace>& placed,
              BranchOrder order, FitWork& work)
      : program_(program),
        graph_(graph),
        placed_(placed),
        order_(order),
        work_(work),
        budget_(kMisfit * (graph.nodes.size() / kMisfitsPerNode) + kMisfit - 1) {
    for (const auto& [node, seen] : graph.nodes) {
      further_ += IsCopyOrMemset(seen.kernel) || IsFurtherKernel(seen.kernel) ? 1 : 0;
    }
    for (const auto& [node, seen] : graph.nodes) {
      if (node >= kDense * graph.nodes.size()) break;
      seen_.resize(node + 1);
      seen_[node] = &seen;
    }
  }

  Fit Run() {
    std::optional<Placement> best;
    bool ambiguous = false;
    for (const ComputationIndex computation : program_.RunningComputations()) {
      const std::vector<InstructionIndex> commands = CommandsOf(program_, computation, work_);
      const auto size = static_cast<int64_t>(commands.size());
      const int64_t wanted = graph_.commands.value_or(size + further_);  // unknown: to the end
      for (int64_t start = 0; start < size && size - start + further_ >= wanted; ++start) {
        std::optional<Placement> placement = Place(commands, static_cast<size_t>(start), wanted);
        if (!placement) continue;
        placement->place.computation = computation;
        if (!std::ranges::all_of(placed_, [&](const GraphPlace& p) { return Agree(p, placement->place); }))
          continue;
        const auto rank = [](const Placement& p) { return std::pair(p.misfits, -p.anchors); };
        if (best && rank(*placement) == rank(*best)) ambiguous = true;
        if (!best || rank(*placement) < rank(*best)) {
          best = std::move(placement);
          ambiguous = false;
        }
      }
    }
    if (!best || ambiguous || work_.spent()) return {{{}, {}, ambiguous}};
    const std::optional<size_t> nested_cost = PlaceNested(*best);
    if (!nested_cost) return {};
    return {{{best->fitted.begin(), best->fitted.end()}, best->place},
            best->misfits * kMisfit + *nested_cost};
  }

 private:
  // Where the graph's own nodes go when its first command is commands[start].
  struct Placement {
    std::vector<std::pair<uint32_t, InstructionIndex>> fitted;  // each node once
    std::vector<Slot> nested;                                   // slots after the graph's own nodes
    std::vector<uint32_t> library_at;  // beside nested: the own node that a library slot belongs to
    GraphPlace place;
    uint32_t own_nodes = 0;
    size_t misfits = 0;
    int anchors = 0;  // neighbours outside the graph that are where the schedule has them
  };

  const GraphNode* Seen(uint32_t node) const {
    if (node < seen_.size()) return seen_[node];
    if (graph_.nodes.rbegin()->first < node) return nullptr;
    const auto found = graph_.nodes.find(node);
    return found == graph_.nodes.end() ? nullptr : &found->second;
  }

  // The class of a kernel and an instruction is compared very often, for few different pairs.
  bool Fits(InstructionIndex instruction, std::string_view kernel) {
    const auto key = std::pair(instruction.value, kernel.data());
    const auto found = fits_.find(key);
    if (found != fits_.end()) return found->second;
    return fits_[key] = KernelFits(program_, instruction, kernel);
  }

  bool SlotFits(const Slot& slot, const GraphNode& node) {
    switch (slot.kind) {
      case Slot::Kind::kKernel:
        return Fits(slot.instruction, node.kernel);
      case Slot::Kind::kSeveral:
        return IsCopyOrMemset(node.kernel) || Fits(slot.instruction, node.kernel);
      case Slot::Kind::kCondition:
        return IsCondition(node.kernel);
      case Slot::Kind::kSilent:
        return false;
      case Slot::Kind::kLibrary:
        return !IsCondition(node.kernel);
    }
    return false;
  }

  const CommandSlots& Slots(InstructionIndex command) {
    const auto found = slots_.find(command.value);
    if (found != slots_.end()) return found->second;
    return slots_[command.value] = SlotsOf(program_, command, order_, work_);
  }

  // A placement in the making.
  struct Progress {
    Placement placement{};
    int64_t wanted;     // commands
    int64_t taken = 0;  // of them
    uint32_t node = 0;  // the next one
    size_t cost = 0;

    void AddMisfit() {
      cost += kMisfit;
      ++placement.misfits;
    }
  };

  // Nodes of commands besides the one that the slot itself stands for.
  template <typename Belongs>
  void TakeWhile(InstructionIndex command, Progress& progress, const Belongs& belongs) const {
    for (; progress.taken + 1 < progress.wanted; ++progress.node, ++progress.taken) {
      const GraphNode* seen = Seen(progress.node);
      if (seen == nullptr || !belongs(seen->kernel)) return;
      progress.placement.fitted.emplace_back(progress.node, command);
    }
  }

  // Whether a node at the position of a call is the call's own kernel (Triton, FFI).
  bool IsOwnKernel(const Slot& slot, const CommandSlots& slots, const GraphNode& seen) {
    return slot.kind == Slot::Kind::kSilent && slots.nested.size() == 1 && SlotFits(slots.nested[0], seen);
  }

  // Gives a slot its node, if that was seen, and says what it costs where they do not fit.
  void Fill(const Slot& slot, const CommandSlots& slots, const GraphNode* seen, Progress& progress) {
    if (seen == nullptr) {
      // The graph's own commands run at every launch.
      if (slot.kind != Slot::Kind::kSilent) progress.AddMisfit();
    } else if (SlotFits(slot, *seen)) {
      progress.placement.fitted.emplace_back(progress.node, slot.instruction);
    } else if (IsOwnKernel(slot, slots, *seen)) {
      progress.placement.fitted.emplace_back(progress.node, slot.instruction);
      // XLA's own kernels are named after instructions, and none of those is this one.
      if (slots.nested[0].kind == Slot::Kind::kLibrary &&
          (program_.Find(seen->kernel).valid() || KernelOfAnother(seen->kernel)))
        progress.AddMisfit();
    } else {
      progress.AddMisfit();
    }
  }

  // False: it costs more than a fit may.
  bool PlaceOwn(InstructionIndex command, const CommandSlots& slots, Progress& progress) {
    for (const Slot& slot : slots.own) {
      const bool several = slot.kind == Slot::Kind::kSeveral;
      if (several) TakeWhile(command, progress, IsCopyOrMemset);
      const GraphNode* seen = Seen(progress.node);
      Fill(slot, slots, seen, progress);
      ++progress.node;
      if (several && seen != nullptr) {
        TakeWhile(command, progress,
                  [&](std::string_view kernel) { return IsFurtherKernel(kernel, seen->kernel); });
      }
      if (progress.cost > budget_) return false;
    }
    return true;
  }

  void AddNested(const CommandSlots& slots, Progress& progress) const {
    for (const Slot& slot : slots.nested) {
      // A call with an event at its own position has no nested graph.
      if (slots.own[0].kind == Slot::Kind::kSilent && slots.nested.size() == 1 && Seen(progress.node - 1))
        continue;
      progress.placement.nested.push_back(slot);
      progress.placement.library_at.push_back(progress.node - 1);
    }
  }

  std::optional<Placement> Place(const std::vector<InstructionIndex>& commands, size_t start,
                                 int64_t wanted) {
    Progress progress{.wanted = wanted};
    size_t end = start;
    for (; end < commands.size() && progress.taken < wanted; ++end, ++progress.taken) {
      const CommandSlots& slots = Slots(commands[end]);
      if (!work_.Spend(1 + slots.own.size() + slots.nested.size())) return std::nullopt;
      if (!PlaceOwn(commands[end], slots, progress)) return std::nullopt;
      AddNested(slots, progress);
    }
    if (graph_.commands ? progress.taken != wanted : end != commands.size()) return std::nullopt;
    Placement& placement = progress.placement;
    placement.place = {{}, start, end, graph_.number};
    placement.own_nodes = progress.node;
    placement.anchors = Anchors(commands, start, end);
    return std::move(placement);
  }

  // A kernel named like some instruction of the program, number aside, is not a library's.
  bool KernelOfAnother(std::string_view kernel) {
    if (stems_.empty()) {
      for (const Instruction& instruction : program_.instructions) {
        if (program_.text(instruction.opcode) == "fusion")
          stems_[NameStem(program_.text(instruction.name))] = true;
      }
      stems_[""] = false;
    }
    const auto found = stems_.find(NameStem(kernel));
    return found != stems_.end() && found->second;
  }

  int Anchors(const std::vector<InstructionIndex>& commands, size_t start, size_t end) const {
    const auto inside = [&](InstructionIndex i) {
      return i.valid() && std::ranges::find(commands, i) != commands.end();
    };
    int anchors = 0;
    if (start > 0 ? commands[start - 1] == graph_.before : !inside(graph_.before)) ++anchors;
    if (end < commands.size() ? commands[end] == graph_.after : !inside(graph_.after)) ++anchors;
    return anchors;
  }

  // Nested slots take the node numbers after the graph's own, in order; how many a library call takes is
  // open. The cheapest way through, slot by slot: states are the next node number.
  struct State {
    uint32_t node = 0;
    int cost = 0;
    uint32_t from = 0;  // next node number one slot earlier
  };
  using States = std::vector<State>;  // in order of nodes

  // The cost of the best way; nothing when too much does not fit.
  std::optional<size_t> PlaceNested(Placement& placement) {
    std::vector<States> steps = {{State{placement.own_nodes}}};
    for (size_t i = 0; i < placement.nested.size(); ++i) {
      steps.push_back(Step(placement, i, steps.back()));
      if (steps.back().empty()) return std::nullopt;
    }
    // Nodes beyond the last slot fit nothing.
    const State* best = nullptr;
    int best_cost = std::numeric_limits<int>::max();
    size_t beyond = 0;
    for (const State& state : steps.back()) {
      const auto left = std::distance(graph_.nodes.lower_bound(state.node), graph_.nodes.end());
      const int cost = state.cost + kMisfit * static_cast<int>(left);
      if (cost < best_cost) {
        best_cost = cost;
        best = &state;
        beyond = static_cast<size_t>(left);
      }
    }
    if (!best) return std::nullopt;
    placement.misfits += beyond;
    uint32_t next = best->node;
    for (size_t i = placement.nested.size(); i > 0; --i) {
      const uint32_t from = std::ranges::lower_bound(steps[i], next, {}, &State::node)->from;
      for (uint32_t node = from; node < next; ++node) {
        const GraphNode* seen = Seen(node);
        if (seen && SlotFits(placement.nested[i - 1], *seen)) {
          placement.fitted.emplace_back(node, placement.nested[i - 1].instruction);
        } else if (seen) {
          ++placement.misfits;
        }
      }
      next = from;
    }
    if (placement.misfits * kMisfitsPerNode > graph_.nodes.size()) return std::nullopt;
    return static_cast<size_t>(best_cost);
  }

  States Step(const Placement& placement, size_t index, const States& states) {
    if (!work_.Spend(states.size() * limits::kMaxLibraryNodes)) return {};
    const Slot& slot = placement.nested[index];
    const Window window = WindowOf(placement, index);
    States next;
    // Every state offers nodes in a row, so what is known from this node on is the end of `next`.
    const auto offer = [&](uint32_t node, int cost, uint32_t from) {
      if (next.empty() || node > next.back().node) {
        next.push_back({node, cost, from});
      } else if (State& known = next[next.size() - 1 - (next.back().node - node)]; cost < known.cost) {
        known = {node, cost, from};
      }
    };
    for (const State& state : states) {
      const uint32_t node = state.node;
      if (slot.kind == Slot::Kind::kSeveral) {
        StepSeveral(slot, state, offer);
        continue;
      }
      if (slot.kind != Slot::Kind::kLibrary) {
        const GraphNode* seen = Seen(node);
        const bool silent = slot.kind == Slot::Kind::kSilent;
        const int cost = seen ? (SlotFits(slot, *seen) ? 0 : kMisfit) : (silent ? 0 : kUnseen);
        offer(node + 1, state.cost + cost, node);
        continue;
      }
      int cost = 0;
      int kernels = 0;
      for (int count = 0; count < limits::kMaxLibraryNodes; ++count) {
        const uint32_t at = node + static_cast<uint32_t>(count);
        const GraphNode* seen = Seen(at);
        if (!seen) {
          cost += kUnseen;
        } else if (!window.Holds(*seen)) {
          cost += kMisfit;
        } else if (IsCopyOrMemset(seen->kernel)) {
          if (kernels > 0) cost += 2;  // libraries clear their workspace first: rather the next call's
        } else if (IsCondition(seen->kernel) || KernelOfAnother(seen->kernel)) {
          cost += kMisfit;
        } else if (++kernels > 1) {
          cost += 1;
        }
        offer(at + 1, state.cost + cost + (kernels == 0 ? 4 : 0), node);
      }
    }
    Prune(next);
    return next;
  }

  // Copies, a kernel that fits, and further ones of it. Where none was seen, nobody knows how many there are.
  void StepSeveral(const Slot& slot, const State& state, const auto& offer) {
    int cost = 0;
    bool copies = false;
    const GraphNode* first = nullptr;
    for (uint32_t at = state.node; at - state.node < limits::kMaxSortNodes && work_.Spend(); ++at) {
      const GraphNode* seen = Seen(at);
      if (!seen) {
        cost += kUnseen;
      } else if (!first && IsCopyOrMemset(seen->kernel)) {
        copies = true;
      } else if (!first && Fits(slot.instruction, seen->kernel)) {
        first = seen;
      } else if (!first || !IsFurtherKernel(seen->kernel, first->kernel)) {
        if (at == state.node) offer(at + 1, state.cost + kMisfit, state.node);
        break;
      }
      offer(at + 1, state.cost + cost + (copies && !first ? kMisfit : 0), state.node);
    }
  }

  // The own nodes left and right of a library call, where they were seen: its kernels begin between them, in
  // a launch that ran them.
  struct Window {
    const GraphNode* before = nullptr;
    const GraphNode* after = nullptr;

    bool Holds(const GraphNode& kernel) const {
      if (after && after->launch == kernel.launch && after->begin < kernel.begin) return false;
      return !before || before->launch != kernel.launch || before->begin <= kernel.begin;
    }
  };
  Window WindowOf(const Placement& placement, size_t index) const {
    const uint32_t at = placement.library_at[index];
    Window window;
    const auto after = graph_.nodes.upper_bound(at);
    if (after != graph_.nodes.end() && after->first < placement.own_nodes) window.after = &after->second;
    if (after != graph_.nodes.begin() && std::prev(after)->first < at)
      window.before = &std::prev(after)->second;
    return window;
  }

  static void Prune(States& states) {
    if (states.size() <= limits::kMaxFitStates) return;
    std::vector<int> costs;
    for (const State& state : states) costs.push_back(state.cost);
    std::ranges::nth_element(costs, costs.begin() + limits::kMaxFitStates);
    const int limit = costs[limits::kMaxFitStates];
    std::erase_if(states, [&](const State& state) { return state.cost > limit; });
  }

  struct PairHash {
    size_t operator()(const std::pair<uint32_t, const char*>& p) const {
      return std::hash<const char*>()(p.second) * 31 + p.first;
    }
  };

  const Program& program_;
  const SeenGraph& graph_;
  const std::vector<GraphPlace>& placed_;
  const BranchOrder order_;
  FitWork& work_;
  const size_t budget_;
  int64_t further_ = 0;                 // nodes that may be commands besides one for each instruction
  std::vector<const GraphNode*> seen_;  // by node number; null: not seen
  std::unordered_map<std::pair<uint32_t, const char*>, bool, PairHash> fits_;
  std::unordered_map<uint32_t, CommandSlots> slots_;
  std::unordered_map<std::string, bool> stems_;
};

}  // namespace

GraphFit FitGraph(const Program& program, const SeenGraph& graph, const std::vector<GraphPlace>& placed,
                  FitWork& work) {
  if (graph.nodes.empty()) return {};
  Fit best = GraphFitter(program, graph, placed, BranchOrder::kListed, work).Run();
  if (best.graph.nodes.empty() || best.cost > 0) {
    Fit reversed = GraphFitter(program, graph, placed, BranchOrder::kReversed, work).Run();
    const bool better = best.graph.nodes.empty() || reversed.cost < best.cost;
    if (!reversed.graph.nodes.empty() && better) best = std::move(reversed);
  }
  return std::move(best.graph);
}

}  // namespace gait::xplane

#include "gait/read/xplane/attribution.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

#include "gait/base/limits.h"
#include "gait/read/xplane/graph_fit.h"

namespace gait::xplane {
namespace {

// What an argument set says about the instruction.
struct OperationArgs {
  StringId hlo_op;
  StringId hlo_module;
  std::optional<uint64_t> program_id;
  std::optional<uint64_t> graph_node;
};

class Attributor {
 public:
  explicit Attributor(const Trace& trace) : trace_(trace), result_(trace.arg_sets().size()) {
    const auto find = [&](std::string_view key) { return trace.strings().Find(key).value_or(StringId()); };
    hlo_op_ = find("hlo_op");
    hlo_module_ = find("hlo_module");
    program_id_ = find("program_id");
    graph_node_ = find("cuda_graph_node_id");
    correlation_ = find("correlation_id");
    for (uint32_t i = 0; i < trace.programs().size(); ++i) {
      by_id_.try_emplace(trace.programs()[i].id, ProgramIndex(i));
      const auto [at, added] = by_name_.try_emplace(trace.programs()[i].name, ProgramIndex(i));
      if (!added) at->second = ProgramIndex();  // two programs of one name: the name says nothing
    }
  }

  std::vector<Attribution> Run() {
    std::vector<uint32_t> graph_sets;
    const std::vector<StringId> op_names = OpsNamedByEvent();
    for (uint32_t i = 0; i < result_.size(); ++i) {
      OperationArgs args = Read(ArgSetId(i));
      if (!args.hlo_op.valid()) args.hlo_op = op_names[i];
      if (!args.hlo_op.valid()) continue;
      result_[i] = ByName(args);
      // Node annotations that XLA restored name the instruction and need no graph.
      if (args.graph_node && result_[i].kind != AttributionKind::kByName) graph_sets.push_back(i);
    }
    if (!graph_sets.empty()) AttributeGraphs(graph_sets);
    return std::move(result_);
  }

 private:
  struct GraphKey {
    ProgramIndex program;
    uint64_t graph;
    friend auto operator<=>(const GraphKey&, const GraphKey&) = default;
  };

  OperationArgs Read(ArgSetId set) const {
    OperationArgs args;
    for (const ArgEntry& entry : trace_.arg_sets()[set]) {
      if (entry.varying) continue;
      const ArgValue value{entry.type, entry.bits};
      if (entry.key == hlo_op_ && value.is_string()) args.hlo_op = value.string();
      if (entry.key == hlo_module_ && value.is_string()) args.hlo_module = value.string();
      // Writers take int64 or uint64 for the same id: the 64 bits count.
      if (entry.key == program_id_ && value.integer())
        args.program_id = static_cast<uint64_t>(*value.integer());
      if (entry.key == graph_node_ && value.integer())
        args.graph_node = static_cast<uint64_t>(*value.integer());
    }
    return args;
  }

  // On TPU the event's own name says the operation, as HLO text or as its first word. By argument set; sets
  // that events of different names share say nothing.
  std::vector<StringId> OpsNamedByEvent() const {
    std::vector<StringId> names(result_.size());
    std::vector<bool> shared(result_.size());
    for (const Track& track : trace_.tracks()) {
      if (track.info().kind != TrackKind::kOps || track.info().derived) continue;
      for (uint32_t i = 0; i < track.size(); ++i) {
        const uint32_t set = track.args(EventIndex(i)).value;
        if (names[set].valid() && names[set] != track.name(EventIndex(i))) shared[set] = true;
        names[set] = track.name(EventIndex(i));
      }
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (shared[i]) names[i] = StringId();
    }
    return names;
  }

  // "%fusion.3 = f32[8]{0} fusion(...)" is fusion.3; "outer::inner" is inner.
  static std::string_view InstructionName(std::string_view op) {
    if (op.starts_with('%')) {
      op.remove_prefix(1);
      return op.substr(0, op.find(' '));
    }
    const size_t inner = op.rfind("::");
    return inner == std::string_view::npos ? op : op.substr(inner + 2);
  }

  // 31 of "command_buffer_31".
  static std::optional<int64_t> NumberOf(std::string_view op) {
    int64_t number = 0;
    const std::string_view digits = op.substr(op.find_last_not_of("0123456789") + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
  }

  ProgramIndex ProgramOf(const OperationArgs& args) const {
    if (args.program_id) {
      const auto found = by_id_.find(*args.program_id);
      if (found != by_id_.end()) return found->second;
    }
    const auto found = by_name_.find(trace_.text(args.hlo_module));
    if (found == by_name_.end() || !found->second.valid()) return ProgramIndex();
    // Another program of the same name: the one that ran is not in the capture.
    if (args.program_id && trace_.programs()[found->second.value].id != 0) return ProgramIndex();
    return found->second;
  }

  Attribution ByName(const OperationArgs& args) const {
    const ProgramIndex program = ProgramOf(args);
    if (!program.valid()) return {AttributionKind::kNoProgram, {}};
    const InstructionIndex found =
        trace_.programs()[program.value].Find(InstructionName(trace_.text(args.hlo_op)));
    if (!found.valid()) return {AttributionKind::kNoInstruction, {}};
    return {AttributionKind::kByName, {program, found}};
  }

  void AttributeGraphs(const std::vector<uint32_t>& sets) {
    std::vector<bool> wanted(result_.size());
    for (const uint32_t set : sets) wanted[set] = true;
    CollectNodes(wanted);
    CollectLaunches();
    size_t seen = 0;
    for (const auto& [key, graph] : graphs_) seen += graph.nodes.size();
    FitWork work(seen);
    FitGraphs(work);
    for (const uint32_t set : sets) {
      const OperationArgs args = Read(ArgSetId(set));
      const ProgramIndex program = ProgramOf(args);
      if (!program.valid()) continue;
      result_[set] = {AttributionKind::kGraphMismatch, {}};
      const auto& nodes = fitted_[{program, *args.graph_node >> 32}];
      const auto found = nodes.find(static_cast<uint32_t>(*args.graph_node));
      if (found != nodes.end()) result_[set] = {AttributionKind::kByGraphNode, {program, found->second}};
    }
  }

  // Graphs that fit several places equally well wait until others are placed.
  void FitGraphs(FitWork& work) {
    std::map<ProgramIndex, std::vector<GraphPlace>> placed;
    std::vector<GraphKey> waiting;
    for (const auto& [key, graph] : graphs_) waiting.push_back(key);
    const auto fit_all = [&](bool beside_others) {
      std::erase_if(waiting, [&](const GraphKey& key) {
        std::vector<GraphPlace>& others = placed[key.program];
        GraphFit fit = FitGraph(trace_.programs()[key.program.value], graphs_[key],
                                beside_others ? others : std::vector<GraphPlace>(), work);
        if (!fit.nodes.empty()) others.push_back(fit.place);
        fitted_[key] = std::move(fit.nodes);
        return !fit.ambiguous;
      });
    };
    fit_all(false);
    for (size_t before = 0; before != waiting.size();) {
      before = waiting.size();
      fit_all(true);
    }
  }

  // The first event of every node, and the instructions that ran outside graphs, by launch.
  void CollectNodes(std::vector<bool> wanted) {
    for (uint32_t t = 0; t < trace_.tracks().size(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kStream) continue;
      for (uint32_t i = 0; i < track.size(); ++i) {
        const ArgSetId set = track.args(EventIndex(i));
        const EventRef event{TrackId(t), EventIndex(i)};
        if (result_[set.value].kind == AttributionKind::kByName) {
          if (neighbours_.size() < limits::kMaxNeighbours)
            neighbours_.try_emplace(Launch(event), result_[set.value].instruction);
          continue;
        }
        if (!wanted[set.value]) continue;
        wanted[set.value] = false;
        const OperationArgs args = Read(set);
        const ProgramIndex program = ProgramOf(args);
        if (!program.valid()) continue;
        const GraphKey key{program, *args.graph_node >> 32};
        const GraphNode node{trace_.name(event), Launch(event), track.begin(event.index)};
        SeenGraph& graph = graphs_[key];
        graph.number = NumberOf(trace_.text(args.hlo_op));
        const auto [at, added] = graph.nodes.try_emplace(static_cast<uint32_t>(*args.graph_node), node);
        if (!added && node.begin < at->second.begin) at->second = node;
        const auto [first, new_graph] = first_launch_.try_emplace(key, node.launch);
        if (!new_graph) first->second = std::min(first->second, node.launch);
      }
    }
  }

  // The host's side: how many commands a launched graph has, and what was launched before and after it.
  void CollectLaunches() {
    std::unordered_map<int64_t, std::vector<GraphKey>> launches;
    for (const auto& [key, launch] : first_launch_) launches[launch].push_back(key);
    const StringId commands = trace_.strings().Find("num_commands").value_or(StringId());
    for (uint32_t t = 0; t < trace_.tracks().size() && commands.valid(); ++t) {
      const Track& track = trace_.tracks()[t];
      if (track.info().kind != TrackKind::kThread) continue;
      for (uint32_t i = 0; i < track.size(); ++i) {
        const EventRef event{TrackId(t), EventIndex(i)};
        if (!trace_.name(event).starts_with("cuGraphLaunch")) continue;
        const auto found = launches.find(Launch(event));
        if (found == launches.end()) continue;
        for (EventIndex p = track.parent(event.index); p.valid(); p = track.parent(p)) {
          const auto count = trace_.FindArg({event.track, p}, commands);
          if (!count) continue;
          for (const GraphKey& key : found->second) graphs_[key].commands = count->integer();
          break;
        }
      }
    }
    for (const auto& [key, launch] : first_launch_) {
      const auto after = neighbours_.upper_bound(launch);
      if (after != neighbours_.end() && after->second.program == key.program) {
        graphs_[key].after = after->second.instruction;
      }
      if (after != neighbours_.begin() && std::prev(after)->second.program == key.program) {
        graphs_[key].before = std::prev(after)->second.instruction;
      }
    }
  }

  int64_t Launch(EventRef event) const {
    const auto id = trace_.FindArg(event, correlation_);
    return id ? id->integer().value_or(0) : 0;
  }

  const Trace& trace_;
  StringId hlo_op_, hlo_module_, program_id_, graph_node_, correlation_;
  std::unordered_map<uint64_t, ProgramIndex> by_id_;
  std::map<std::string_view, ProgramIndex> by_name_;
  std::map<GraphKey, SeenGraph> graphs_;
  std::map<GraphKey, int64_t> first_launch_;
  std::map<int64_t, InstructionRef> neighbours_;  // by launch
  std::map<GraphKey, std::map<uint32_t, InstructionIndex>> fitted_;
  std::vector<Attribution> result_;
};

}  // namespace

std::vector<Attribution> Attribute(const Trace& trace) { return Attributor(trace).Run(); }

}  // namespace gait::xplane

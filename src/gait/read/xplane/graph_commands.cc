#include "gait/read/xplane/graph_commands.h"

#include <algorithm>
#include <array>

namespace gait::xplane {
namespace {

constexpr std::array<std::string_view, 11> kLaunchNothing = {
    "parameter", "get-tuple-element", "tuple",       "bitcast",      "constant",  "after-all",
    "domain",    "add-dependency",    "opt-barrier", "partition-id", "replica-id"};

constexpr std::array<std::string_view, 6> kLibraryOpcodes = {"custom-call",      "fft",         "cholesky",
                                                             "triangular-solve", "convolution", "infeed"};

bool IsOneOf(std::string_view word, const auto& words) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view Opcode(const Program& program, InstructionIndex i) {
  return program.text(program[i].opcode);
}

// Fusions that a library runs say so in their backend configuration; collectives are NCCL's.
bool IsLibraryCall(const Program& program, InstructionIndex i) {
  const std::string_view opcode = Opcode(program, i);
  if (IsOneOf(opcode, kLibraryOpcodes)) return true;
  if (program[i].replica_groups != Id<void>::kInvalid || opcode.starts_with("all-") ||
      opcode.starts_with("collective-") || opcode.starts_with("reduce-scatter")) {
    return true;
  }
  const std::string_view config = program.text(program[i].backend_config);
  return opcode == "fusion" && (config.find("__cudnn$fusion") != std::string_view::npos ||
                                config.find("__cublas_fusion") != std::string_view::npos);
}

// A node of a copy, or the driver's kernel for one (memcpy32_post, memcpy128).
bool IsCopy(std::string_view kernel) { return kernel.starts_with("Memcpy") || kernel.starts_with("memcpy"); }

// Kernels are named after instructions, with underscores.
char Underscored(char c) { return c == '.' || c == '-' ? '_' : c; }

// "fusion.12.3" is "fusion"; AMD's kernels end in ".kd".
std::string_view WithoutNumbers(std::string_view name) {
  if (name.ends_with(".kd")) name.remove_suffix(3);
  while (true) {
    const size_t before = name.find_last_not_of("0123456789");
    if (before == std::string_view::npos || before + 1 == name.size() || Underscored(name[before]) != '_')
      return name;
    name = name.substr(0, before);
  }
}

// NameStem(a) == NameStem(b), without making them: it is asked very often.
bool SameStem(std::string_view a, std::string_view b) {
  return std::ranges::equal(WithoutNumbers(a), WithoutNumbers(b), {}, Underscored, Underscored);
}

// Whether a kernel is called like an instruction of what the command wraps, number aside.
bool IsNameOfInner(const Program& program, InstructionIndex command, std::string_view kernel) {
  for (const ComputationIndex called : program[command].called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      if (SameStem(kernel, program.text(program.instructions[i].name))) return true;
    }
  }
  return false;
}

bool Contains(const Program& program, InstructionIndex i, std::string_view opcode) {
  if (Opcode(program, i) == opcode) return true;
  for (const ComputationIndex called : program[i].called) {
    const Computation& computation = program.computations[called.value];
    for (uint32_t inner = computation.begin.value; inner < computation.end.value; ++inner) {
      if (Opcode(program, InstructionIndex(inner)) == opcode) return true;
    }
  }
  return false;
}

void AppendCommands(const Program& program, ComputationIndex computation, int depth, FitWork& work,
                    std::vector<InstructionIndex>& out) {
  if (depth > limits::kMaxCallDepth) return;
  const Computation& c = program.computations[computation.value];
  const auto append = [&](InstructionIndex i) {
    if (!work.Spend()) return;
    const std::string_view opcode = Opcode(program, i);
    if (IsOneOf(opcode, kLaunchNothing) || opcode.ends_with("-done")) return;
    if (opcode == "call" && program[i].called.size() == 1) {
      AppendCommands(program, program[i].called[0], depth + 1, work, out);
    } else {
      out.push_back(i);
    }
  };
  if (!c.schedule.empty()) {
    for (const InstructionIndex i : c.schedule) append(i);
  } else {
    for (uint32_t i = c.begin.value; i < c.end.value; ++i) append(InstructionIndex(i));
  }
}

// A while calls its body and its condition, in the order of the proto; the condition is the one that returns
// a bool.
struct WhileParts {
  ComputationIndex body;
  ComputationIndex condition;
};
WhileParts PartsOf(const Program& program, InstructionIndex loop) {
  WhileParts parts;
  for (const ComputationIndex called : program[loop].called) {
    const Computation& computation = program.computations[called.value];
    const bool returns_bool =
        computation.root.valid() && program.shape(program[computation.root].shape).type == ElementType::kPred;
    (returns_bool ? parts.condition : parts.body) = called;
  }
  return parts;
}

// Expands commands into slots; `depth` is how many nested graphs stand above.
class SlotExpander {
 public:
  SlotExpander(const Program& program, BranchOrder order, FitWork& work)
      : program_(program), order_(order), work_(work) {}

  CommandSlots Expand(InstructionIndex command, int depth) const;

 private:
  // The nodes of a nested graph: its own first, then those of the graphs inside it.
  void AppendGraph(const std::vector<InstructionIndex>& commands, const std::vector<Slot>& tail, int depth,
                   std::vector<Slot>& out) const;

  const Program& program_;
  BranchOrder order_;
  FitWork& work_;
};

CommandSlots SlotExpander::Expand(InstructionIndex command, int depth) const {
  CommandSlots slots;
  const std::string_view opcode = Opcode(program_, command);
  if (opcode == "while") {
    const WhileParts parts = PartsOf(program_, command);
    const Slot set{Slot::Kind::kCondition, command};
    std::vector<InstructionIndex> condition;
    if (parts.condition.valid()) condition = CommandsOf(program_, parts.condition, work_);
    for (const InstructionIndex i : condition) slots.own.push_back({Slot::Kind::kKernel, i});
    slots.own.push_back(set);
    slots.own.push_back({Slot::Kind::kSilent, command});
    std::vector<Slot> tail;
    for (const InstructionIndex i : condition) tail.push_back({Slot::Kind::kKernel, i});
    tail.push_back(set);
    if (parts.body.valid())
      AppendGraph(CommandsOf(program_, parts.body, work_), tail, depth + 1, slots.nested);
  } else if (opcode == "conditional") {
    slots.own.push_back({Slot::Kind::kCondition, command});
    std::vector<ComputationIndex> branches = program_[command].called;
    if (order_ == BranchOrder::kReversed) std::ranges::reverse(branches);
    for (const ComputationIndex branch : branches) {
      slots.own.push_back({Slot::Kind::kSilent, command});
      AppendGraph(CommandsOf(program_, branch, work_), {}, depth + 1, slots.nested);
    }
  } else if (opcode == "async-start") {
    slots.own.push_back({Slot::Kind::kSilent, command});
    slots.nested.push_back({Slot::Kind::kKernel, command});
  } else if (IsLibraryCall(program_, command)) {
    slots.own.push_back({Slot::Kind::kSilent, command});
    slots.nested.push_back({Slot::Kind::kLibrary, command});
  } else {
    const bool several = Contains(program_, command, "sort") || Contains(program_, command, "scatter");
    slots.own.push_back({several ? Slot::Kind::kSeveral : Slot::Kind::kKernel, command});
  }
  return slots;
}

void SlotExpander::AppendGraph(const std::vector<InstructionIndex>& commands, const std::vector<Slot>& tail,
                               int depth, std::vector<Slot>& out) const {
  if (depth > limits::kMaxCallDepth) return;
  std::vector<Slot> nested;
  for (const InstructionIndex command : commands) {
    const CommandSlots slots = Expand(command, depth);
    if (!work_.Spend(1 + slots.own.size() + slots.nested.size())) return;
    out.insert(out.end(), slots.own.begin(), slots.own.end());
    nested.insert(nested.end(), slots.nested.begin(), slots.nested.end());
  }
  out.insert(out.end(), tail.begin(), tail.end());
  out.insert(out.end(), nested.begin(), nested.end());
}

}  // namespace

std::vector<InstructionIndex> CommandsOf(const Program& program, ComputationIndex computation,
                                         FitWork& work) {
  std::vector<InstructionIndex> commands;
  AppendCommands(program, computation, 0, work, commands);
  return commands;
}

CommandSlots SlotsOf(const Program& program, InstructionIndex command, BranchOrder order, FitWork& work) {
  return SlotExpander(program, order, work).Expand(command, 0);
}

std::string NameStem(std::string_view name) {
  std::string stem(WithoutNumbers(name));
  std::ranges::transform(stem, stem.begin(), Underscored);
  return stem;
}

bool IsCondition(std::string_view kernel) {
  return kernel.starts_with("set_while_condition") || kernel.starts_with("set_case_condition") ||
         kernel.starts_with("set_if_");
}

bool IsCopyOrMemset(std::string_view kernel) {
  return IsCopy(kernel) || kernel.starts_with("Memset") || kernel.starts_with("memset");
}

bool IsFurtherKernel(std::string_view kernel) {
  const size_t number = kernel.find_last_not_of("0123456789") + 1;
  return number < kernel.size() && kernel.substr(0, number).ends_with("__");
}

bool IsFurtherKernel(std::string_view kernel, std::string_view first) {
  return IsFurtherKernel(kernel) && kernel.substr(0, kernel.rfind("__")) == first;
}

bool KernelFits(const Program& program, InstructionIndex instruction, std::string_view kernel) {
  const std::string_view opcode = Opcode(program, instruction);
  if (opcode == "async-start") return IsCopy(kernel) || IsNameOfInner(program, instruction, kernel);
  if (IsCopyOrMemset(kernel)) return opcode == "copy" || opcode == "fusion" || opcode.starts_with("copy-");
  if (SameStem(kernel, program.text(program[instruction].name))) return true;
  return kernel.starts_with("sort") && Contains(program, instruction, "sort");
}

}  // namespace gait::xplane

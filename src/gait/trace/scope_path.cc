#include "gait/trace/scope_path.h"

#include <unordered_set>
#include <vector>

#include "gait/base/limits.h"

namespace gait {
namespace {

// Computations to look into, nearest calls first, each once: files may call in circles.
class Search {
 public:
  explicit Search(const Program& program) : program_(program) {}

  void AddCallsOf(const Instruction& caller) {
    for (const ComputationIndex called : caller.called) {
      if (Spend() && seen_.insert(called).second) queue_.push_back(called);
    }
  }

  InstructionIndex Run() {
    for (size_t next = 0; next < queue_.size(); ++next) {
      const InstructionIndex found = Inside(program_.computations[queue_[next].value]);
      if (found.valid()) return found;
    }
    return {};
  }

 private:
  bool Named(InstructionIndex i) const { return !program_.text(program_[i].op_name).empty(); }

  bool Spend() { return budget_ > 0 && budget_-- > 0; }

  // The root first: it is what the computation is for. A root that only bundles results says nothing; its
  // operands do.
  InstructionIndex Inside(const Computation& computation) {
    if (computation.root.valid()) {
      if (Named(computation.root)) return computation.root;
      for (const InstructionIndex operand : program_[computation.root].operands) {
        if (!Spend()) return {};
        if (Named(operand)) return operand;
      }
    }
    for (uint32_t i = computation.begin.value; i < computation.end.value && Spend(); ++i) {
      if (Named(InstructionIndex(i))) return InstructionIndex(i);
      AddCallsOf(program_.instructions[i]);
    }
    return {};
  }

  const Program& program_;
  std::vector<ComputationIndex> queue_;
  std::unordered_set<ComputationIndex> seen_;
  size_t budget_ = limits::kMaxScopeSearch;
};

}  // namespace

InstructionIndex ScopeGiver(const Program& program, InstructionIndex instruction) {
  const Instruction& own = program[instruction];
  if (!program.text(own.op_name).empty()) return instruction;
  if (own.called.empty()) return {};
  Search search(program);
  search.AddCallsOf(own);
  return search.Run();
}

StringId ScopePath(const Program& program, InstructionIndex instruction) {
  const InstructionIndex giver = ScopeGiver(program, instruction);
  return giver.valid() ? program[giver].op_name : StringId(0);
}

}  // namespace gait

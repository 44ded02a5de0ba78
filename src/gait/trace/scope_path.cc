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

  StringId Run() {
    for (size_t next = 0; next < queue_.size(); ++next) {
      const StringId found = Inside(program_.computations[queue_[next].value]);
      if (Named(found)) return found;
    }
    return StringId(0);
  }

 private:
  bool Named(StringId id) const { return !program_.text(id).empty(); }

  bool Spend() { return budget_ > 0 && budget_-- > 0; }

  // The root first: it is what the computation is for. A root that only bundles results says nothing; its
  // operands do.
  StringId Inside(const Computation& computation) {
    if (computation.root.valid()) {
      const Instruction& root = program_[computation.root];
      if (Named(root.op_name)) return root.op_name;
      for (const InstructionIndex operand : root.operands) {
        if (!Spend()) return StringId(0);
        if (Named(program_[operand].op_name)) return program_[operand].op_name;
      }
    }
    for (uint32_t i = computation.begin.value; i < computation.end.value && Spend(); ++i) {
      if (Named(program_.instructions[i].op_name)) return program_.instructions[i].op_name;
      AddCallsOf(program_.instructions[i]);
    }
    return StringId(0);
  }

  const Program& program_;
  std::vector<ComputationIndex> queue_;
  std::unordered_set<ComputationIndex> seen_;
  size_t budget_ = limits::kMaxScopeSearch;
};

}  // namespace

StringId ScopePath(const Program& program, InstructionIndex instruction) {
  const Instruction& own = program[instruction];
  if (!program.text(own.op_name).empty()) return own.op_name;
  if (own.called.empty()) return StringId(0);
  Search search(program);
  search.AddCallsOf(own);
  return search.Run();
}

}  // namespace gait

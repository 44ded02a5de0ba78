#include "gait/analyze/verdict/doctor/one_hot.h"

#include <string_view>

namespace gait::analyze {
namespace {

constexpr int kMostSteps = 24;  // steps back from an array

// Goes from an array back to what made it.
class Walk {
 public:
  Walk(const Program& program, const Instruction* caller, std::vector<InstructionIndex>& made)
      : program_(program), made_(made) {
    if (caller != nullptr) callers_.push_back(caller);
  }

  // The classes of an array of zeros and ones; 0: it is none.
  int64_t Classes(InstructionIndex at, int depth) {
    return Follow(at, depth, [&](const Instruction& source) -> int64_t {
      if (program_.text(source.opcode) != "compare" || program_.text(source.comparison_direction) != "EQ")
        return 0;
      for (const InstructionIndex operand : source.operands) {
        if (const int64_t classes = Counted(operand, depth + 1)) return classes;
      }
      return 0;
    });
  }

 private:
  // The length of the dimension along which an array counts; 0: it does not count.
  int64_t Counted(InstructionIndex at, int depth) {
    return Follow(at, depth, [&](const Instruction& source) -> int64_t {
      if (program_.text(source.opcode) != "iota") return 0;
      const Shape& shape = program_.shape(source.shape);
      const size_t along = source.dimensions.empty() ? 0 : static_cast<size_t>(source.dimensions[0]);
      return along < shape.dimensions.size() ? shape.dimensions[along] : 0;
    });
  }

  template <typename Answer>
  int64_t Follow(InstructionIndex at, int depth, const Answer& answer) {
    if (!at.valid() || depth > kMostSteps) return 0;
    const Instruction& own = program_[at];
    const std::string_view opcode = program_.text(own.opcode);
    if (callers_.empty()) made_.push_back(at);
    if (opcode == "fusion" && !own.called.empty()) {
      callers_.push_back(&own);
      const int64_t found = Follow(program_.computations[own.called[0].value].root, depth + 1, answer);
      callers_.pop_back();
      return found;
    }
    if (opcode == "parameter" && !callers_.empty()) {
      const Instruction* caller = callers_.back();
      const auto number = static_cast<size_t>(own.number);
      if (number >= caller->operands.size()) return 0;
      callers_.pop_back();
      const int64_t found = Follow(caller->operands[number], depth + 1, answer);
      callers_.push_back(caller);
      return found;
    }
    const bool moves = opcode == "convert" || opcode == "bitcast" || opcode == "copy" ||
                       opcode == "reshape" || opcode == "transpose" || opcode == "broadcast" ||
                       opcode == "select";
    return moves && !own.operands.empty() ? Follow(own.operands[0], depth + 1, answer) : answer(own);
  }

  const Program& program_;
  std::vector<const Instruction*> callers_;  // fusions around the instruction that is looked at
  std::vector<InstructionIndex>& made_;
};

}  // namespace

OneHot FindOneHot(const Program& program, InstructionIndex array, const Instruction* caller) {
  OneHot found;
  found.classes = Walk(program, caller, found.made).Classes(array, 0);
  return found;
}

}  // namespace gait::analyze

#include "gait/read/hlo/cost.h"

#include <vector>

#include "gait/base/limits.h"
#include "gait/read/hlo/cost_context.h"
#include "gait/read/hlo/fusion_work.h"
#include "gait/read/hlo/operation_cost.h"

namespace gait::hlo {
namespace {

// Visits callees before callers. A sound program has no circles; in another one the call that closes it is
// unknown.
class Driver {
 public:
  explicit Driver(Program& program)
      : program_(program), context_(program), fusions_(context_), state_(program.computations.size()) {}

  void Visit(ComputationIndex index, int depth) {
    State& state = state_[index.value];
    if (state == State::kDone) return;
    Cost& total = context_.total(index);
    if (state == State::kOpen || depth > limits::kMaxCallDepth) {
      total = context_.Unknown("computations call each other in a circle or too deep");
      return;
    }
    state = State::kOpen;
    const Computation& computation = program_.computations[index.value];
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      for (const ComputationIndex called : program_.instructions[i].called) Visit(called, depth + 1);
    }
    Cost sum{0.0, 0.0, 0.0, {}};
    for (uint32_t i = computation.begin.value; i < computation.end.value; ++i) {
      Instruction& instruction = program_.instructions[i];
      if (!instruction.cost.unknown_because.valid()) instruction.cost = CostOf(instruction);
      Add(instruction.cost, sum);
    }
    context_.Explain(sum);
    total = sum;
    fusions_.Add(index);
    state = State::kDone;
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  Cost CostOf(const Instruction& instruction) {
    if (program_.text(instruction.opcode) != "fusion") return OperationCost(context_, instruction);
    if (instruction.called.empty()) return context_.Unknown("a fusion without a body");
    const Cost& body = context_.total(instruction.called[0]);
    Cost cost{
        fusions_.Flops(instruction), fusions_.BytesRead(instruction), fusions_.BytesWritten(instruction), {}};
    if (!cost.flops) cost.unknown_because = body.unknown_because;
    context_.Explain(cost);
    return cost;
  }

  static void Add(const Cost& one, Cost& sum) {
    sum.flops = sum.flops + one.flops;
    sum.bytes_read = sum.bytes_read + one.bytes_read;
    sum.bytes_written = sum.bytes_written + one.bytes_written;
    if (!sum.unknown_because.valid()) sum.unknown_because = one.unknown_because;
  }

  Program& program_;
  CostContext context_;
  FusionWork fusions_;
  std::vector<State> state_;
};

}  // namespace

void ComputeCosts(Program& program) {
  Driver driver(program);
  for (size_t i = 0; i < program.computations.size(); ++i) driver.Visit(ComputationIndex(i), 0);
}

}  // namespace gait::hlo

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

// Of the memory's bandwidth: what moves its bytes slower than that is not bound by them, and would take its
// time without them too.
constexpr double kMemoryBound = 0.5;

bool Streams(const OpTotal& total) {
  const Category category = total.what.category;
  return total.what.attributed() && total.self > Ps() &&
         (category == Category::kElementwise || category == Category::kConversion) &&
         total.what.hlo().cost.bytes_read && total.what.hlo().cost.bytes_written;
}

double RateOf(const OpTotal& total) { return total.bytes.value_or(0) / total.self.seconds(); }

// Bytes per second: what the memory can move; where that is not known, what the fastest such operation moved.
double Bandwidth(const Patient& patient) {
  if (patient.peaks.bytes_per_second) return *patient.peaks.bytes_per_second;
  double fastest = 0;
  for (const OpTotal& total : patient.operations()) {
    if (Streams(total)) fastest = std::max(fastest, RateOf(total));
  }
  return fastest;
}

// By operation: what is saved on its result and on its operands.
class Savings {
 public:
  explicit Savings(const Patient& patient)
      : patient_(patient), least_rate_(kMemoryBound * Bandwidth(patient)) {}

  // A result of so many bytes need not go through memory, in a share of the runs of each of the two.
  void Add(size_t producer, size_t consumer, double bytes, double of_producer, double of_consumer) {
    const Ps saved = AddTo(producer, bytes, of_producer) + AddTo(consumer, bytes, of_consumer);
    if (saved > Ps()) ++links_;
  }

  size_t links() const { return links_; }
  Claims claims() const {
    Claims claims;
    for (const auto& [operation, amount] : by_operation_) {
      claims.push_back(patient_.ledger.Operation(operation, amount));
    }
    return claims;
  }

 private:
  // The part of an operation's time that moving `bytes` of all its bytes takes, if they decide it.
  Ps AddTo(size_t operation, double bytes, double share_of_runs) {
    const OpTotal& total = patient_.operations()[operation];
    const Cost& cost = total.what.hlo().cost;
    const double all = *cost.bytes_read + *cost.bytes_written;
    if (all <= 0 || RateOf(total) < least_rate_) return {};
    const Ps part = PartOf(total.self, std::min(1.0, bytes / all) * share_of_runs);
    by_operation_[operation] += part;
    return part;
  }

  const Patient& patient_;
  double least_rate_;  // bytes per second of an operation that is bound by memory
  std::map<size_t, Ps> by_operation_;
  size_t links_ = 0;
};

// Inside a program: a result that one other elementwise operation takes, and nobody else.
void AddInside(const Patient& patient, Savings& savings) {
  std::map<const Program*, std::map<uint32_t, size_t>> operations;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (Streams(total)) operations[total.what.program][total.what.instruction.value] = i;
  }
  for (const auto& [program, by_instruction] : operations) {
    const auto users = UsersOf(*program);
    for (const auto& [index, operation] : by_instruction) {
      if (users[index].size() != 1) continue;
      const auto consumer = by_instruction.find(users[index][0].value);
      if (consumer == by_instruction.end()) continue;
      const Instruction& own = program->instructions[index];
      if (program->shape(own.shape).type == ElementType::kTuple) continue;
      savings.Add(operation, consumer->second, static_cast<double>(ResultBytes(*program, own.shape)), 1, 1);
    }
  }
}

// Across programs: one elementwise program after the other on a device, the result of one as large as what
// the next takes. Likely, not certain, that it is the same array.
void AddAcross(const Patient& patient, Savings& savings) {
  std::map<std::pair<size_t, size_t>, uint64_t> follows;
  for (const Coverage& coverage : patient.overview.operations->coverage) {
    for (const Coverage::Pair& pair : coverage.pairs()) {
      const OpTotal& first = patient.operations()[pair.other];
      const OpTotal& second = patient.operations()[pair.operation];
      if (pair.follows == 0 || first.what.program == second.what.program) continue;
      if (Streams(first) && Streams(second)) follows[{pair.other, pair.operation}] += pair.follows;
    }
  }
  for (const auto& [pair, count] : follows) {
    const OpTotal& first = patient.operations()[pair.first];
    const OpTotal& second = patient.operations()[pair.second];
    const int64_t bytes = ResultBytes(*first.what.program, first.what.hlo().shape);
    const Program& program = *second.what.program;
    const bool fits = std::ranges::any_of(second.what.hlo().operands, [&](InstructionIndex operand) {
      return ResultBytes(program, program[operand].shape) == bytes;
    });
    if (!fits || first.executions == 0 || second.executions == 0) continue;
    const auto runs = [&](uint64_t executions) {
      return std::min(1.0, static_cast<double>(count) / static_cast<double>(executions));
    };
    savings.Add(pair.first, pair.second, static_cast<double>(bytes), runs(first.executions),
                runs(second.executions));
  }
}

Verdict UnfusedChain(const Patient& patient) {
  Savings savings(patient);
  AddInside(patient, savings);
  AddAcross(patient, savings);
  const Claims claims = savings.claims();
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "Elementwise operations that were not fused";
  finding.cause = fmt::format(
      "{} write a result to memory that the next operation only reads again; fused, it would stay in "
      "registers.",
      savings.links() == 1 ? "One pair of operations"
                           : fmt::format("{} pairs of operations", savings.links()));
  finding.fix =
      "put the chain into one jitted function, so that XLA can fuse it:\n"
      "  @jax.jit\n"
      "  def f(x): return jnp.tanh(jnp.sin(x) * 2)\n"
      "and look for what stands between: another jit, optimization_barrier, a custom call";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"ops"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kUnfusedChainRule;
const Rule kUnfusedChainRule = {
    .name = "unfused_chain",
    .topic = Topic::kDevice,
    .summary = "memory-bound operations in a row that were not fused",
    .avoidable = true,
    .check = UnfusedChain,
    .explain =
        "Speaks when elementwise operations pass their results through memory to the next one, and that "
        "takes 3 % of a step or more: inside a program a result with one user, across programs one launch "
        "after the other with arrays of the same size. Cost: of each time the share that these bytes have in "
        "all bytes it moves, of operations that move them at half of the memory's bandwidth or more (where "
        "that is not known, of the rate of the fastest): what is slower is bound by something else.",
};

}  // namespace gait::analyze

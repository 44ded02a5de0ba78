#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/doctor/program_facts.h"
#include "gait/analyze/doctor/rule.h"

namespace gait::analyze {
namespace {

bool Streams(const OpTotal& total) {
  const Category category = total.what.category;
  return total.what.attributed() && total.self > Ps() &&
         (category == Category::kElementwise || category == Category::kConversion) &&
         total.what.hlo().cost.bytes_read && total.what.hlo().cost.bytes_written;
}

// The part of an operation's time that moving `bytes` of all its bytes takes.
Ps PartOf(const OpTotal& total, double bytes, double share_of_runs) {
  const Cost& cost = total.what.hlo().cost;
  const double all = *cost.bytes_read + *cost.bytes_written;
  if (all <= 0) return {};
  return Ps(static_cast<int64_t>(static_cast<double>(total.self.value()) * std::min(1.0, bytes / all) *
                                 share_of_runs));
}

// By operation: what is saved on its result and on its operands.
struct Savings {
  std::map<size_t, Ps> by_operation;
  size_t links = 0;

  void Add(const Patient& patient, size_t producer, size_t consumer, double bytes, double of_producer,
           double of_consumer) {
    by_operation[producer] += PartOf(patient.operations()[producer], bytes, of_producer);
    by_operation[consumer] += PartOf(patient.operations()[consumer], bytes, of_consumer);
    ++links;
  }
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
      savings.Add(patient, operation, consumer->second, static_cast<double>(ResultBytes(*program, own.shape)),
                  1, 1);
    }
  }
}

// Across programs: one elementwise program after the other on a device, the result of one as large as what
// the next takes. Likely, not certain, that it is the same array.
void AddAcross(const Patient& patient, Savings& savings) {
  std::map<std::pair<size_t, size_t>, uint64_t> follows;
  for (const auto& pieces : patient.overview.operations->pieces) {
    for (size_t i = 1; i < pieces.size(); ++i) {
      const size_t a = pieces[i - 1].operation;
      const size_t b = pieces[i].operation;
      const OpTotal& first = patient.operations()[a];
      const OpTotal& second = patient.operations()[b];
      if (!Streams(first) || !Streams(second) || first.what.program == second.what.program) continue;
      ++follows[{a, b}];
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
    savings.Add(patient, pair.first, pair.second, static_cast<double>(bytes), runs(first.executions),
                runs(second.executions));
  }
}

Verdict UnfusedChain(const Patient& patient) {
  Savings savings;
  AddInside(patient, savings);
  AddAcross(patient, savings);
  Claims claims;
  for (const auto& [operation, amount] : savings.by_operation) {
    claims.push_back(patient.ledger.Operation(operation, amount));
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Elementwise operations that were not fused";
  finding.cause = fmt::format(
      "{} write a result to memory that the next operation only reads again; fused, it would stay in "
      "registers.",
      savings.links == 1 ? "One pair of operations" : fmt::format("{} pairs of operations", savings.links));
  finding.fix =
      "put the chain into one jitted function, so that XLA can fuse it:\n"
      "  @jax.jit\n"
      "  def f(x): return jnp.tanh(jnp.sin(x) * 2)\n"
      "and look for what stands between: another jit, optimization_barrier, a custom call";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = "ops";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kUnfusedChainRule;
const Rule kUnfusedChainRule = {
    "unfused_chain", "memory-bound operations in a row that were not fused", UnfusedChain,
    "Speaks when elementwise operations pass their results through memory to the next one, and that takes 3 "
    "% of\n"
    "a step or more: inside a program a result with one user, across programs one launch after the other "
    "with\n"
    "arrays of the same size. Cost: of each time the share that these bytes have in all bytes it moves."};

}  // namespace gait::analyze

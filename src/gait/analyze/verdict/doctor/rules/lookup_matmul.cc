#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/one_hot.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// The result of a product; a library call gives its workspace beside it.
ShapeId ResultOf(const Program& program, const Instruction& product) {
  const Shape& shape = program.shape(product.shape);
  return shape.elements.empty() ? product.shape : shape.elements[0];
}

// The length of the dimension that a product sums over, from its flops: 2 × elements of the result × length.
double SummedLength(const Program& program, const Instruction& product) {
  const double elements = static_cast<double>(program.ElementCount(ResultOf(program, product)).value_or(0));
  return elements > 0 ? product.cost.flops.value_or(0) / (2 * elements) : 0;
}

// A product that only looks up rows of a table.
struct LookUp {
  const Instruction* product;
  OneHot one_hot;
};

// Where the classes are summed over, the product takes one row of the table for each row of ones. Where they
// are not, it sums rows by class, which is real work.
std::optional<LookUp> FindLookUp(const Program& program, const Instruction& own, const Instruction& product) {
  constexpr double kNear = 0.02;  // an epilogue has flops too
  const bool inside = &product != &own;
  if (inside && std::ranges::find(own.called, product.computation) == own.called.end()) return std::nullopt;
  for (size_t i = 0; i < product.operands.size() && i < 2; ++i) {
    OneHot one_hot = FindOneHot(program, product.operands[i], inside ? &own : nullptr);
    const auto classes = static_cast<double>(one_hot.classes);
    if (classes > 0 && std::abs(SummedLength(program, product) - classes) <= kNear * classes)
      return LookUp{&product, std::move(one_hot)};
  }
  return std::nullopt;
}

Verdict LookupMatmul(const Patient& patient) {
  const std::optional<double> bandwidth = patient.peaks.bytes_per_second;
  if (!bandwidth) return Verdict::Unchecked("the device's peaks are not known");
  Claims claims;
  size_t products = 0;
  int64_t classes = 0;
  std::map<const Program*, std::set<uint32_t>> look_ups;  // the products, and what makes their ones
  std::map<const Program*, std::set<uint32_t>> makers;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.attributed() || total.what.category != Category::kMatmul || total.self == Ps()) continue;
    const Program& program = *total.what.program;
    const Instruction* product = ProductOf(program, total.what.instruction);
    if (product == nullptr) continue;
    const std::optional<LookUp> found = FindLookUp(program, total.what.hlo(), *product);
    if (!found) continue;
    // Looked up, each row is read and written once.
    const double bytes = 2 * static_cast<double>(ResultBytes(program, ResultOf(program, *product)));
    const double seconds =
        bytes / (*bandwidth * patient.rates.memory.share) * static_cast<double>(total.executions);
    claims.push_back(
        patient.ledger.Operation(i, PartOf(total.self, 1 - std::min(1.0, seconds / total.time.seconds()))));
    ++products;
    classes = std::max(classes, found->one_hot.classes);
    look_ups[&program].insert(total.what.instruction.value);
    for (const InstructionIndex maker : found->one_hot.made) makers[&program].insert(maker.value);
  }
  // What makes the zeros and ones, where nobody else wants these.
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.attributed() || !makers[total.what.program].contains(total.what.instruction.value))
      continue;
    const auto users = UsersOf(*total.what.program)[total.what.instruction.value];
    const bool only = std::ranges::all_of(users, [&](InstructionIndex user) {
      return look_ups[total.what.program].contains(user.value) ||
             makers[total.what.program].contains(user.value);
    });
    if (only) claims.push_back(patient.ledger.Operation(i, total.self));
  }
  if (!patient.Matter(claims)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "A product that only looks up rows";
  finding.cause = fmt::format(
      "{} of zeros and ones with a table of {} rows: each row of the result is one row of the table.",
      products == 1 ? "One product multiplies an array"
                    : fmt::format("{} products multiply arrays", products),
      classes);
  finding.fix =
      "take the rows by their numbers:\n"
      "  rows = table[numbers]      # instead of jax.nn.one_hot(numbers, n) @ table\n"
      "or, where the table is divided over devices, keep the product and shard its classes";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"roofline"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLookupMatmulRule;
const Rule kLookupMatmulRule = {
    .name = "lookup_matmul",
    .topic = Topic::kDevice,
    .summary = "products with zeros and ones that look up rows",
    .avoidable = true,
    .check = LookupMatmul,
    .explain =
        "Speaks when a product has an operand of zeros and ones that compares numbers with a count "
        "(jax.nn.one_hot) and sums over the classes, and that costs 1 % of a step or more. Cost: the time of "
        "the product and of what makes the zeros and ones, less the time to read and write the rows.",
};

}  // namespace gait::analyze

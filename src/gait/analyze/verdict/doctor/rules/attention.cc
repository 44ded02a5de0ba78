#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kMostHops = 12;  // from the softmax to its products

using Dimensions = std::vector<int64_t>;

// The dimensions without ones, sorted: the same for an array and its reshapes that keep them.
Dimensions KeyOf(const Shape& shape) {
  Dimensions key;
  for (const int64_t d : shape.dimensions) {
    if (d > 1) key.push_back(d);
  }
  std::ranges::sort(key);
  return key;
}

int64_t CountOf(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t d : shape.dimensions) {
    if (d <= 0 || count > (int64_t{1} << 50) / d) return 0;
    count *= d;
  }
  return count;
}

// A product with a batch: one small matrix product for each head and example.
bool IsBatched(const Program& program, const Instruction& product) {
  const Shape& shape = LargestArray(program, product.shape);
  if (product.dot < program.dots.size()) return !program.dots[product.dot].lhs_batch.empty();
  return shape.dimensions.size() >= 3;
}

struct Search {
  const Program& program;
  const std::map<uint32_t, Category>& categories;  // of executed instructions

  bool IsProduct(InstructionIndex i) const {
    const auto found = categories.find(i.value);
    return found != categories.end() && found->second == Category::kMatmul;
  }

  // A batched product that is `hops` away through arrays of the same number of elements.
  template <typename Next>
  const Instruction* Reach(InstructionIndex from, int64_t elements, Next next) const {
    std::set<uint32_t> seen = {from.value};
    std::vector<InstructionIndex> level = {from};
    for (size_t hop = 0; hop < kMostHops && !level.empty(); ++hop) {
      std::vector<InstructionIndex> further;
      for (const InstructionIndex at : level) {
        for (const InstructionIndex to : next(at)) {
          if (!seen.insert(to.value).second) continue;
          if (IsProduct(to)) {
            const Instruction* product = ProductOf(program, to);
            if (product != nullptr && IsBatched(program, *product)) return product;
            continue;
          }
          if (CountOf(LargestArray(program, program[to].shape)) == elements) further.push_back(to);
        }
      }
      level = std::move(further);
    }
    return nullptr;
  }
};

using Categories = std::map<uint32_t, Category>;  // by instruction

// Of what ran of each program.
std::map<const Program*, Categories> Executed(const Patient& patient) {
  std::map<const Program*, Categories> executed;
  for (const OpTotal& total : patient.operations()) {
    if (total.what.attributed())
      executed[total.what.program][total.what.instruction.value] = total.what.category;
  }
  return executed;
}

// What a softmax works on: its array, or the largest of its inputs, as it may be a reduction of the scores.
const Shape& ScoresOf(const Program& program, InstructionIndex softmax) {
  const Shape* scores = &LargestArray(program, program[softmax].shape);
  for (const InstructionIndex operand : program[softmax].operands) {
    const Shape& input = LargestArray(program, program[operand].shape);
    if (CountOf(input) > CountOf(*scores)) scores = &input;
  }
  return *scores;
}

// "bf16[8,12,1024,1024]"
std::string TextOf(const Shape& shape) {
  return fmt::format("{}[{}]", Name(shape.type), fmt::join(shape.dimensions, ","));
}

// Score matrices: what softmaxes between two batched products work on.
struct ScoreMatrices {
  std::map<const Program*, std::set<Dimensions>> of_program{};
  std::string example{};  // the first

  void Add(const Program& program, const Categories& categories) {
    const auto users = UsersOf(program);
    const Search search{program, categories};
    const auto up = [&](InstructionIndex at) { return program[at].operands; };
    const auto down = [&](InstructionIndex at) { return users[at.value]; };
    for (const auto& [index, category] : categories) {
      if (category != Category::kSoftmax) continue;
      const InstructionIndex softmax(index);
      const Shape& scores = ScoresOf(program, softmax);
      const int64_t elements = CountOf(scores);
      if (scores.dimensions.size() < 3 || elements == 0) continue;
      if (search.Reach(softmax, elements, up) == nullptr || search.Reach(softmax, elements, down) == nullptr)
        continue;
      of_program[&program].insert(KeyOf(scores));
      if (example.empty()) example = TextOf(scores);
    }
  }

  // Whether an operation reads or writes one of them.
  bool HasOneOf(const Operation& what) const {
    const auto found = what.attributed() ? of_program.find(what.program) : of_program.end();
    if (found == of_program.end()) return false;
    const Program& program = *what.program;
    const auto is_one = [&](ShapeId shape) {
      return found->second.contains(KeyOf(LargestArray(program, shape)));
    };
    const Instruction& own = what.hlo();
    return is_one(own.shape) || std::ranges::any_of(own.operands, [&](InstructionIndex operand) {
             return is_one(program[operand].shape);
           });
  }
};

// What goes over score matrices and is no product.
Claims ClaimPasses(const Patient& patient, const ScoreMatrices& scores) {
  Claims claims;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const Category category = total.what.category;
    if (total.self == Ps() || category == Category::kMatmul || category == Category::kAttention) continue;
    if (scores.HasOneOf(total.what)) claims.push_back(patient.ledger.Operation(i, total.self));
  }
  return claims;
}

Verdict Attention(const Patient& patient) {
  const bool accelerated = std::ranges::any_of(patient.overview.devices, [](const DeviceOverview& d) {
    return d.host->trace().plane(d.device->plane).kind != PlaneKind::kCpuDevice;
  });
  if (!accelerated) return Verdict::Unchecked("a CPU has no fused attention");
  const std::map<const Program*, Categories> executed = Executed(patient);
  if (executed.empty()) return Verdict::Unchecked("no operation is attributed to a program");
  ScoreMatrices scores;
  for (const auto& [program, categories] : executed) scores.Add(*program, categories);
  const Claims claims = ClaimPasses(patient, scores);
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "Attention scores go through memory";
  finding.cause = fmt::format(
      "Softmax, masks and conversions pass over the score matrices {} in memory, between the two products; a "
      "fused kernel never writes them.",
      scores.example);
  finding.fix =
      "use a fused attention:\n"
      "  jax.nn.dot_product_attention(\n"
      "      q, k, v, is_causal=True, implementation='cudnn')\n"
      "on a TPU the Pallas kernels (splash attention); keep the softmax in bf16 where that is enough";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"ops", "by", "scope"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kAttentionRule;
const Rule kAttentionRule = {
    .name = "attention",
    .topic = Topic::kDevice,
    .summary = "attention that is not one fused kernel",
    .avoidable = true,
    .check = Attention,
    .explain =
        "Speaks when a softmax lies between two batched products, and the operations on its array that are "
        "no products take 2 % of a step or more. Cost: the self time of these operations; the products stay.",
};

}  // namespace gait::analyze

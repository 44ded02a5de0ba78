#include <map>
#include <set>

#include <fmt/format.h>

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

Verdict Attention(const Patient& patient) {
  const bool accelerated = std::ranges::any_of(patient.overview.devices, [](const DeviceOverview& d) {
    return d.host->trace().plane(d.device->plane).kind != PlaneKind::kCpuDevice;
  });
  if (!accelerated) return Verdict::Unchecked("a CPU has no fused attention");
  std::map<const Program*, std::map<uint32_t, Category>> executed;
  for (const OpTotal& total : patient.operations()) {
    if (total.what.attributed())
      executed[total.what.program][total.what.instruction.value] = total.what.category;
  }
  if (executed.empty()) return Verdict::Unchecked("no operation is attributed to a program");
  // Score matrices: what a softmax between two batched products works on.
  std::map<const Program*, std::map<Dimensions, int64_t>> scores;  // and their elements
  std::string example;
  for (const auto& [program, categories] : executed) {
    const auto users = UsersOf(*program);
    const Search search{*program, categories};
    for (const auto& [index, category] : categories) {
      if (category != Category::kSoftmax) continue;
      const InstructionIndex softmax(index);
      const Shape& shape = LargestArray(*program, (*program)[softmax].shape);
      int64_t elements = CountOf(shape);
      const Shape* array = &shape;
      // A softmax may be a reduction whose input is the scores.
      for (const InstructionIndex operand : (*program)[softmax].operands) {
        const Shape& input = LargestArray(*program, (*program)[operand].shape);
        if (CountOf(input) > elements) {
          elements = CountOf(input);
          array = &input;
        }
      }
      if (array->dimensions.size() < 3 || elements == 0) continue;
      const auto up = [&](InstructionIndex at) { return (*program)[at].operands; };
      const auto down = [&](InstructionIndex at) { return users[at.value]; };
      if (search.Reach(softmax, elements, up) == nullptr ||
          search.Reach(softmax, elements, down) == nullptr) {
        continue;
      }
      scores[program][KeyOf(*array)] = elements;
      if (example.empty()) {
        example = fmt::format("{}", Name(array->type));
        example += "[";
        for (size_t d = 0; d < array->dimensions.size(); ++d) {
          example += (d == 0 ? "" : ",") + std::to_string(array->dimensions[d]);
        }
        example += "]";
      }
    }
  }
  Claims claims;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const auto found = total.what.attributed() ? scores.find(total.what.program) : scores.end();
    if (found == scores.end() || total.self == Ps()) continue;
    if (total.what.category == Category::kMatmul || total.what.category == Category::kAttention) continue;
    const Program& program = *total.what.program;
    const auto touches = [&](ShapeId shape) {
      return found->second.contains(KeyOf(LargestArray(program, shape)));
    };
    const Instruction& own = total.what.hlo();
    bool on_scores = touches(own.shape);
    for (const InstructionIndex operand : own.operands) on_scores |= touches(program[operand].shape);
    if (on_scores) claims.push_back(patient.ledger.Operation(i, total.self));
  }
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Attention scores go through memory";
  finding.cause = fmt::format(
      "Softmax, masks and conversions pass over the score matrices {} in memory, between the two products; a "
      "fused kernel never writes them.",
      example);
  finding.fix =
      "use a fused attention:\n"
      "  jax.nn.dot_product_attention(\n"
      "      q, k, v, is_causal=True, implementation='cudnn')\n"
      "on a TPU the Pallas kernels (splash attention); keep the softmax in bf16 where that is enough";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = "ops --by scope";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kAttentionRule;
const Rule kAttentionRule = {
    "attention", "attention that is not one fused kernel", Attention,
    "Speaks when a softmax lies between two batched products, and the operations on its array that are no\n"
    "products take 2 % of a step or more. Cost: the self time of these operations; the products stay."};

}  // namespace gait::analyze

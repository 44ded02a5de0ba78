#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr double kGoodEnough = 0.5;          // of the attained rates
constexpr Ps kLeastIdeal = Microseconds(5);  // a shorter product is bound by its size, whatever runs it
constexpr int64_t kSmallTile = 512;          // elements: kernels that were tried out have thousands
constexpr int64_t kLargeResult = 64 * 1024;  // elements: large tiles would fill the device, too

// The part of the result that a block of a kernel made by Triton computes; empty: another kernel.
std::vector<int64_t> TileOf(std::string_view config) {
  constexpr std::string_view kSizes = R"("output_tiles":[{"sizes":[)";
  const size_t at = config.find(kSizes);
  if (at == std::string_view::npos) return {};
  config = config.substr(at + kSizes.size());
  std::vector<int64_t> tile;
  int64_t size = 0;
  for (const char c : config.substr(0, config.find(']') + 1)) {
    if (c >= '0' && c <= '9') size = std::min<int64_t>(10 * size + (c - '0'), kLargeResult);
    if (c != ',' && c != ']') continue;
    if (size > 1) tile.push_back(size);
    size = 0;
  }
  return tile;
}

// By whom the products run.
struct Makers {
  std::map<std::string, size_t> small_tiles;  // "16 × 8", of kernels that Triton made for large results
  size_t small = 0;
  size_t compiled = 0;  // all kernels that Triton made
  size_t library = 0;

  void Add(const Program& program, const Instruction& own) {
    const std::vector<int64_t> tile = TileOf(program.text(own.backend_config));
    if (tile.empty()) {
      ++library;
      return;
    }
    ++compiled;
    int64_t area = 1;
    for (const int64_t size : tile) area = std::min(area * size, kLargeResult);
    if (area > kSmallTile || program.ElementCount(own.shape).value_or(0) < kLargeResult) return;
    ++small;
    ++small_tiles[fmt::format("{}", fmt::join(tile, " × "))];
  }
  bool nobody_chose() const { return small * 2 > compiled + library; }
  std::string usual_tile() const {
    return std::ranges::max_element(small_tiles, {}, [](const auto& entry) { return entry.second; })->first;
  }
};

struct Words {
  std::string why, fix;
};

Words WordsOf(const Makers& kernels) {
  if (kernels.nobody_chose()) {
    return {
        fmt::format(" XLA's own kernels compute tiles as small as {} of large results: so they do where none "
                    "was tried out.",
                    kernels.usual_tile()),
        "let XLA try kernels out and choose: leave --xla_gpu_autotune_level out of XLA_FLAGS (4 is usual),\n"
        "and see that no cache of results of another device is loaded"};
  }
  if (kernels.compiled > kernels.library) {
    return {" Most run in kernels that XLA made with Triton.",
            "try the library's kernels:\n"
            "  XLA_FLAGS=--xla_gpu_enable_triton_gemm=false\n"
            "and see that autotuning is on (--xla_gpu_autotune_level, 4 is usual)"};
  }
  return {" Most run in a library's kernels.",
          "give each more work: a larger batch, one product for q, k and v, more channels of a convolution;\n"
          "and see that autotuning is on (--xla_gpu_autotune_level, 4 is usual)"};
}

Verdict SlowProducts(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  if (!patient.peaks.bytes_per_second) return Verdict::Unchecked("the device's peaks are not known");
  Claims claims;
  Makers kernels;
  Ps time;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const OpRoof& roof = patient.roof(i);
    const bool product =
        total.what.category == Category::kMatmul || total.what.category == Category::kConvolution;
    if (!product || !total.what.attributed() || roof.work.ideal_seconds <= 0 || total.executions == 0)
      continue;
    const double ideal = IdealShare(total, roof, patient.rates);
    if (ideal > kGoodEnough ||
        PartOf(total.time, ideal) / static_cast<int64_t>(total.executions) < kLeastIdeal) {
      continue;
    }
    const Program& program = *total.what.program;
    const Instruction* inside = ProductOf(program, total.what.instruction);
    if (inside != nullptr && !MisalignedRows(program, *inside).empty()) continue;  // matmul_shapes
    claims.push_back(patient.ledger.Operation(i, PartOf(total.self, 1 - ideal)));
    time += total.self;
    kernels.Add(program, total.what.hlo());
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const Words words = WordsOf(kernels);
  finding.title = "Products far below what their shapes allow";
  finding.cause =
      fmt::format("{} {}; the rates that this device attains would need {}.{}",
                  report::Plural(claims.size(), "product") + (claims.size() == 1 ? " takes" : " take"),
                  patient.PerStep(time / patient.ledger.steps()),
                  report::TimeText(time / patient.ledger.steps() - *finding.cost), words.why);
  finding.fix = words.fix;
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"roofline"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kSlowProductsRule;
const Rule kSlowProductsRule = {
    .name = "slow_products",
    .topic = Topic::kDevice,
    .summary = "products that run far below what their shapes allow",
    .check = SlowProducts,
    .explain =
        "Speaks when products and convolutions that would take 5 µs or more reach less than half of the "
        "rates "
        "that the device attains, and that costs 3 % of a step or more; not of rows that miss the tensor "
        "cores "
        "(matmul_shapes). Cost: their time beyond these rates. Kernels that XLA made with tiles of 512 "
        "elements or "
        "less, of large results, were not tried out.",
};

}  // namespace gait::analyze

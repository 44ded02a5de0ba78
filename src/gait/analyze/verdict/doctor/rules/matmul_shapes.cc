#include <set>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/program_facts.h"
#include "gait/analyze/verdict/doctor/rule.h"

namespace gait::analyze {
namespace {

constexpr double kRunsWell = 0.5;  // of the roofline: whatever the shape, it runs well

Verdict MatmulShapes(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  // Operations whose kernels use no matrix unit although their operands have 16 bits or less.
  std::set<std::string> without;
  for (const Kernel& kernel : patient.kernels.kernels) {
    if (kernel.tensor_cores != TensorCores::kNo) continue;
    for (const std::string& operation : kernel.operations) without.insert(operation);
  }
  Claims claims;
  std::string example;
  size_t missed = 0;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    if (!total.what.attributed() || total.what.category != Category::kMatmul || total.self == Ps()) continue;
    const OpRoof& roof = patient.roof(i);
    const std::optional<double> efficiency = roof.work.efficiency();
    if (!efficiency || *efficiency > kRunsWell || roof.work.bound() != Bound::kCompute) continue;
    const Program& program = *total.what.program;
    const Instruction* product = ProductOf(program, total.what.instruction);
    if (product == nullptr) continue;
    const std::string shape = MisalignedRows(program, *product);
    const bool no_cores = without.contains(KernelsNameOf(total.what)) &&
                          (roof.type == MathType::kF16 || roof.type == MathType::kF8);
    if (shape.empty() && !no_cores) continue;
    missed += no_cores ? 1 : 0;
    if (example.empty()) example = shape;
    claims.push_back(patient.ledger.Operation(i, roof.work.wasted));
  }
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  finding.title = "Matrix products whose shapes miss the tensor cores";
  finding.cause =
      example.empty()
          ? "Products of 16-bit operands run on kernels that do not use the tensor cores."
          : fmt::format("Rows do not begin at multiples of 16 bytes ({}), which the matrix units need.",
                        example);
  finding.fix =
      "pad the dimensions of weights and batches to multiples of 128 (at least 8 for 16-bit types):\n"
      "  vocabulary = -(-vocabulary // 128) * 128";
  finding.evidence = patient.OperationEvidence(claims);
  if (missed > 0) finding.evidence.push_back({fmt::format("{} of them without tensor cores", missed)});
  finding.see = {"roofline"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kMatmulShapesRule;
const Rule kMatmulShapesRule = {
    .name = "matmul_shapes",
    .topic = Topic::kDevice,
    .summary = "products whose shapes the matrix units do not like",
    .check = MatmulShapes,
    .explain =
        "Speaks when compute-bound products that reach less than half of the roofline have rows that are no "
        "multiple of 16 bytes, or run 16-bit operands without tensor cores, and that costs 2 % of a step or "
        "more. Cost: their time above the roofline.",
};

}  // namespace gait::analyze

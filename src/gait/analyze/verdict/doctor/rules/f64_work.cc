#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict F64Work(const Patient& patient) {
  const std::optional<double> bandwidth = patient.peaks.bytes_per_second;
  if (!bandwidth) return Verdict::Unchecked("the device's peaks are not known");
  Claims claims;
  size_t products = 0;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const OpRoof& roof = patient.roof(i);
    const bool product = roof.type == MathType::kF64;
    if (!product && roof.type != MathType::kVector64) continue;
    if (!total.flops || !total.bytes || *total.bytes <= 0 || total.self == Ps()) continue;
    const MathType narrower = !product                     ? MathType::kVector
                              : patient.peaks.tensor_float ? MathType::kTf32
                                                           : MathType::kF32;
    const Ps saved = SavedByHalfTheBytes(total, roof, patient.peaks.of(narrower), *bandwidth);
    claims.push_back(patient.ledger.Operation(i, saved));
    products += product ? 1 : 0;
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  finding.title = "Work in f64";
  finding.cause = report::Plural(claims.size(), "operation") +
                  (claims.size() == 1 ? " computes" : " compute") + " in f64, with twice the bytes of f32";
  const std::optional<double> wide = patient.peaks.of(MathType::kF64);
  const std::optional<double> narrow =
      patient.peaks.of(patient.peaks.tensor_float ? MathType::kTf32 : MathType::kF32);
  if (products > 0 && wide && narrow) {
    finding.cause += fmt::format("; products have {} in f64 and {} in f32",
                                 report::AmountText(*wide, report::unit::kFlopPerSecond),
                                 report::AmountText(*narrow, report::unit::kFlopPerSecond));
  }
  finding.cause += ".";
  finding.fix =
      "leave x64 off (jax_enable_x64, JAX_ENABLE_X64), or keep f64 for the few sums that need it:\n"
      "  x = x.astype(jnp.float32)\n"
      "NumPy's arrays are f64 where nobody says otherwise: np.asarray(data, np.float32)";
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"roofline"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kF64WorkRule;
const Rule kF64WorkRule = {
    .name = "f64_work",
    .topic = Topic::kDevice,
    .summary = "work in f64 where f32 would do",
    .avoidable = true,
    .check = F64Work,
    .explain =
        "Speaks when operations in f64 would save 3 % of a step or more in f32. Cost: for each, its time "
        "less "
        "what it takes at the same share of the roofline with f32 operands: the peak of f32 (TF32 where the "
        "device has it) and half the bytes. Whether f32 is exact enough is for you to judge.",
};

}  // namespace gait::analyze

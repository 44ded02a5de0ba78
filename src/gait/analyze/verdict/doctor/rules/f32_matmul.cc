#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict F32Matmul(const Patient& patient) {
  const std::optional<double> half = patient.peaks.of(MathType::kF16);
  const std::optional<double> bandwidth = patient.peaks.bytes_per_second;
  if (!half || !bandwidth) return Verdict::Unchecked("the device's peaks are not known");
  Claims claims;
  size_t full = 0;  // run in full f32, not TF32
  Ps full_time;
  Ps time;
  Ps convolutions;
  for (size_t i = 0; i < patient.operations().size(); ++i) {
    const OpTotal& total = patient.operations()[i];
    const OpRoof& roof = patient.roof(i);
    if (roof.type != MathType::kF32 && roof.type != MathType::kTf32) continue;
    if (!total.flops || !total.bytes || !roof.peak || *total.flops <= 0 || total.self == Ps()) continue;
    claims.push_back(patient.ledger.Operation(i, SavedByHalfTheBytes(total, roof, half, *bandwidth)));
    time += total.self;
    if (total.what.category == Category::kConvolution) convolutions += total.self;
    if (roof.type != MathType::kF32) continue;
    ++full;
    full_time += total.self;
  }
  constexpr double kLeast = 0.03;
  if (!patient.Matter(claims, kLeast)) return Verdict::TooLittle(claims);
  Finding finding = patient.Costs(claims);
  const size_t tf32 = claims.size() - full;
  const auto peak = [&](MathType type) {
    return report::AmountText(patient.peaks.of(type).value_or(0), report::unit::kFlopPerSecond);
  };
  finding.title = full_time * 2 > time ? "Matrix products in full f32" : "Matrix products in f32 (TF32)";
  const std::string in_full = fmt::format("in full f32 ({} at most)", peak(MathType::kF32));
  const std::string in_tf32 = fmt::format("as TF32 ({} at most)", peak(MathType::kTf32));
  finding.cause =
      fmt::format("{} f32 operands{}; bf16 has {}.",
                  report::Plural(claims.size(), "product") + (claims.size() == 1 ? " takes" : " take"),
                  full == 0   ? ", " + in_tf32
                  : tf32 == 0 ? ", " + in_full
                              : fmt::format(", {} {} and {} {}", full, in_full, tf32, in_tf32),
                  report::AmountText(*half, report::unit::kFlopPerSecond));
  finding.fix = fmt::format(
      "{}keep f32 parameters, multiply in bf16, accumulate in f32:\n{}",
      full > 0 ? "allow TF32:\n  jax.config.update('jax_default_matmul_precision',\n                    "
                 "'tensorfloat32')\nbetter, "
               : "",
      convolutions * 2 > time
          ? "  nn.Conv(features, (3, 3), dtype=jnp.bfloat16)   # flax; as\n"
            "  jax.lax.conv_general_dilated(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), ...)"
          : "  jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16),\n"
            "          preferred_element_type=jnp.float32)");
  finding.evidence = patient.OperationEvidence(claims);
  finding.see = {"roofline"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kF32MatmulRule;
const Rule kF32MatmulRule = {
    .name = "f32_matmul",
    .topic = Topic::kDevice,
    .summary = "products in f32 where bf16 would do",
    .avoidable = true,
    .check = F32Matmul,
    .explain =
        "Speaks when products of f32 operands would save 3 % of a step or more in bf16. Cost: for each, its "
        "time less what it takes at the same share of the roofline with 16-bit operands: the 16-bit peak and "
        "half the bytes. Whether the model trains as well in bf16 is for you to judge.",
};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/compile_claims.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

Verdict CompileInWindow(const Patient& patient) {
  const CompileClaims found = ClaimCompiles(patient, false);
  if (!patient.Matter(found.claims)) return Verdict::Clean();
  Finding finding = patient.Costs(found.claims);
  Ps tuning;
  for (const Compilation* one : found.compilations) tuning += one->phase(CompilePhase::kAutotuning);
  finding.title = "Compilation inside the capture";
  finding.cause =
      fmt::format("{} compiled while the steps ran{}; the device waited.",
                  report::Plural(found.compilations.size(), "program") +
                      (found.compilations.size() == 1 ? " was" : " were"),
                  tuning > Ps() ? fmt::format(", {} of it autotuning", report::TimeText(tuning)) : "");
  finding.fix =
      "it happens once: capture later, after the first steps; to shorten it, keep a compilation cache:\n"
      "  jax.config.update('jax_compilation_cache_dir', '/some/dir')\n"
      "or compile before the loop:\n"
      "  step = jax.jit(step).lower(state, batch).compile()";
  for (const Compilation* one : found.compilations) {
    if (finding.evidence.size() == 3) break;
    finding.evidence.push_back(
        CompileEvidence(patient, *one,
                        fmt::format("{} compiling {}", report::TimeText(one->wall),
                                    one->function.empty() ? "without a known caller" : one->function)));
  }
  finding.see = "compile";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCompileInWindowRule;
const Rule kCompileInWindowRule = {
    "compile_in_window", "compiling or autotuning while steps are measured", CompileInWindow,
    "Speaks when the device idled for 1 % of a step or more while programs were compiled or autotuned for "
    "the\n"
    "first time. Cost: that idle time. It says that the capture began too early, not that the step is slow."};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/compile_claims.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr const char* kFix =
    "it happens once: capture later, after the first steps; to shorten it, keep a compilation cache:\n"
    "  jax.config.update('jax_compilation_cache_dir', '/some/dir')\n"
    "or compile before the loop:\n"
    "  step = jax.jit(step).lower(state, batch).compile()";

std::string HowMany(size_t compilations) {
  return report::Plural(compilations, "program") + (compilations == 1 ? " was" : " were");
}

void AddEvidence(const Patient& patient, const std::vector<const Compilation*>& compilations,
                 Finding& finding) {
  for (const Compilation* one : compilations) {
    if (finding.evidence.size() == 3) break;
    finding.evidence.push_back(
        CompileEvidence(patient, *one,
                        fmt::format("{} compiling {}", report::TimeText(one->wall),
                                    one->function.empty() ? "without a known caller" : one->function)));
  }
}

// Compilations while no counted step ran, before the last of them was done: a loop that does not wait leaves
// its first step out of the numbers, and with it what was compiled there. What follows the steps says nothing
// about when the capture began.
std::vector<const Compilation*> OutsideTheSteps(const Patient& patient) {
  std::vector<const Compilation*> outside;
  for (const HostCompiles& host : patient.overview.compiles) {
    IntervalSet counted;
    for (const IntervalSet& windows : host.view->windows) counted = Union(counted, windows);
    if (host.view->steps == 0 || counted.empty()) continue;
    for (const Compilation& one : host.compilations) {
      const Interval span[] = {one.span};
      if (one.compiled && one.span.end <= counted.back().end && Intersect(counted, span).empty())
        outside.push_back(&one);
    }
  }
  return outside;
}

// It costs the counted steps nothing.
Verdict BeforeTheSteps(const Patient& patient) {
  const std::vector<const Compilation*> outside = OutsideTheSteps(patient);
  Ps wall;
  for (const Compilation* one : outside) wall += one->wall;
  if (outside.empty() || wall < patient.ledger.step()) return Verdict::Clean();
  Finding finding;
  finding.severity = Severity::kInfo;
  finding.title = "Compilation inside the capture";
  finding.cause =
      fmt::format("{} compiled for {} in steps that the numbers leave out: the capture began too early.",
                  HowMany(outside.size()), report::TimeText(wall));
  finding.fix = kFix;
  AddEvidence(patient, outside, finding);
  finding.see = {"compile"};
  return Verdict::Of(std::move(finding));
}

Verdict CompileInWindow(const Patient& patient) {
  const CompileClaims found = ClaimCompiles(patient, false);
  if (found.compilations.empty() || !patient.Matter(found.claims)) return BeforeTheSteps(patient);
  Finding finding = patient.Costs(found.claims);
  Ps tuning;
  for (const Compilation* one : found.compilations) tuning += one->phase(CompilePhase::kAutotuning);
  finding.title = "Compilation inside the capture";
  finding.cause =
      fmt::format("{} compiled while the steps ran{}; the device waited.", HowMany(found.compilations.size()),
                  tuning > Ps() ? fmt::format(", {} of it autotuning", report::TimeText(tuning)) : "");
  finding.fix = kFix;
  AddEvidence(patient, found.compilations, finding);
  finding.see = {"compile"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCompileInWindowRule;
const Rule kCompileInWindowRule = {
    .name = "compile_in_window",
    .topic = Topic::kCapture,
    .summary = "compiling or autotuning while steps are measured",
    .metrics = "compile",
    .check = CompileInWindow,
    .explain =
        "Speaks when the device idled for 1 % of a step or more while programs were compiled or autotuned "
        "for the first time. Cost: that idle time. It says that the capture began too early, not that the "
        "step is slow. Without a cost it speaks of compilations in steps that the numbers leave out, if they "
        "took as long as a step.",
};

}  // namespace gait::analyze

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/compile_claims.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kMostEvidence = 4;

std::string Why(const CompileReason& reason) {
  if (reason.changes.empty()) {
    switch (reason.cause) {
      case CompileCause::kSame:
        return "the same program again";
      case CompileCause::kOther:
        return "another program of the same name";
      default:
        return std::string(Name(reason.cause));
    }
  }
  const CompileChange& change = reason.changes.front();
  if (reason.cause == CompileCause::kConstant) {
    return change.before.empty() ? fmt::format("a {} changed: a static argument", change.what)
                                 : fmt::format("a {} changed, {} → {}: a static argument", change.what,
                                               change.before, change.after);
  }
  std::string text = fmt::format("{} was {}, is {}", change.what, change.before, change.after);
  if (reason.changes.size() > 1) text += fmt::format(" and {} more", reason.changes.size() - 1);
  return text;
}

// A parameter of another shape, or a result of another shape from the same parameters: a static argument
// decided it, as in jnp.ones.
bool ChangesShape(const CompileReason& reason) {
  return reason.cause == CompileCause::kShape || (reason.cause == CompileCause::kResult && reason.shapes);
}

std::string Fix(const CompileReason& reason) {
  if (ChangesShape(reason)) {
    return "give the function few shapes: pad to the next of some sizes, drop the last short batch:\n"
           "  size = next(s for s in (256, 512, 1024) if s >= len(x))\n"
           "  x = jnp.pad(x, ((0, size - len(x)), (0, 0)))\n"
           "and keep a compilation cache: jax.config.update('jax_compilation_cache_dir', ...)";
  }
  switch (reason.cause) {
    case CompileCause::kType:
      return "give the argument one type: x = jnp.asarray(x, jnp.float32) before the call";
    case CompileCause::kParameters:
      return "call the function with the same number of arguments, and the same tree of arrays";
    case CompileCause::kSame:
      return "make the jitted function once, outside of the loop: each new function, lambda or partial is "
             "compiled anew:\n"
             "  step = jax.jit(f)  # before the loop\n"
             "where it is made once: give it arrays of one type, no Python numbers in their place, and do "
             "not "
             "clear the cache";
    case CompileCause::kConstant:
    case CompileCause::kResult:
      return "pass what changes as an array instead of a static argument or a Python value from outside:\n"
             "  step = jax.jit(step)  # without static_argnums for it\n"
             "  step(state, jnp.float32(rate))";
    case CompileCause::kSharding:
      return "keep the sharding of the arguments as it is:\n"
             "  jax.jit(step, in_shardings=..., out_shardings=...)";
    case CompileCause::kOther:
      return "if a static argument or an option chooses the code: keep it, or pass an array and choose on "
             "the "
             "device:\n"
             "  jax.lax.cond(flag, f, g, x)\n"
             "if they are two functions of one name, each is compiled once: give them two names to see them "
             "apart";
    default:
      return "make functions once, outside the loop (a jax.jit or a lambda made in every step is compiled in "
             "every step),\n"
             "give them few shapes, and keep a compilation cache:\n"
             "  jax.config.update('jax_compilation_cache_dir', ...)";
  }
}

Verdict Recompile(const Patient& patient) {
  const CompileClaims found = ClaimCompiles(patient, true);
  if (found.compilations.size() < 2 || !patient.Matter(found.claims)) return Verdict::Clean();
  Finding finding = patient.Costs(found.claims);
  // The function that took the most time speaks for all: others are often compiled only because it was.
  std::map<std::string, Ps> functions;
  for (const Compilation* one : found.compilations) functions[one->function] += one->wall;
  std::vector<const Compilation*> costliest(found.compilations.begin(), found.compilations.end());
  std::ranges::stable_sort(costliest, std::greater(), [&](const Compilation* one) {
    return std::pair(functions[one->function], one->wall);
  });
  const Compilation* telling = nullptr;
  for (const Compilation* one : costliest) {
    if (telling == nullptr && one->reason.cause != CompileCause::kFirst) telling = one;
    if (finding.evidence.size() >= kMostEvidence || one->reason.cause == CompileCause::kFirst) continue;
    finding.evidence.push_back(CompileEvidence(
        patient, *one,
        fmt::format("{} of {}{}: {}", report::TimeText(one->wall), one->function,
                    one->step ? fmt::format(" in step {}", *one->step) : "", Why(one->reason))));
  }
  finding.title = "Recompilation inside the loop";
  finding.cause =
      fmt::format("{} compiled {} in {}{}.",
                  report::Plural(functions.size(), "function") + (functions.size() == 1 ? " was" : " were"),
                  report::Plural(found.compilations.size(), "time"), patient.view->Coverage(),
                  telling == nullptr ? "" : fmt::format("; {}: {}", telling->function, Why(telling->reason)));
  finding.fix = Fix(telling == nullptr ? CompileReason{} : telling->reason);
  finding.see = {"compile"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kRecompileRule;
const Rule kRecompileRule = {
    .name = "recompile",
    .topic = Topic::kHost,
    .summary = "a function is compiled again, and why",
    .metrics = "compile",
    .check = Recompile,
    .explain =
        "Speaks when a function was compiled more than once in the capture and the device idled for 1 % of a "
        "step or more meanwhile. Cost: the idle time while the host traced, compiled and autotuned these "
        "functions.",
};

}  // namespace gait::analyze

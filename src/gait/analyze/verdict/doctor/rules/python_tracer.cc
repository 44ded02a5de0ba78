#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/python_frames.h"

namespace gait::analyze {
namespace {

constexpr double kHostBound = 0.10;  // of a step: only then does it distort much

Verdict PythonTracer(const Patient& patient) {
  const bool traced =
      std::ranges::any_of(patient.hosts, [](const HostTime& host) { return host.has_python; });
  if (!traced || (patient.ledger.corrected() && !patient.profiler_is_estimated())) return Verdict::Clean();
  const Claims host = patient.ClaimIdle([](const IdleSlice& p) {
    // Who waits or sleeps runs no code that could be slowed.
    if (p.cause == IdleCause::kHostSync) return false;
    const StringId python = p.gap != nullptr ? p.gap->scene.python : StringId();
    if (python.valid() && IsSleeping(p.host->trace().text(python))) return false;
    const GapReason reason = p.reason;
    return reason == GapReason::kLaunching || reason == GapReason::kBetweenSteps ||
           reason == GapReason::kSync;
  });
  if (!patient.Matter(host, kHostBound)) return Verdict::Clean();
  Finding finding;
  finding.severity = Severity::kInfo;
  finding.title = "The Python tracer was on";
  finding.cause =
      fmt::format("It slows Python code while it watches: the {} that the host costs here {}.",
                  patient.PerStep(patient.ledger.Cost(host)),
                  patient.profiler_is_estimated() ? "are estimated without it" : "are more than without it");
  finding.fix =
      "to measure the host's part, capture without it:\n"
      "  options = jax.profiler.ProfileOptions()\n"
      "  options.python_tracer_level = 0\n"
      "  jax.profiler.start_trace(path, profiler_options=options)";
  finding.evidence.push_back(
      {"measured: loops bound by the host ran 1.1 to 6.8 times as long while captured"});
  finding.see = {"host"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kPythonTracerRule;
const Rule kPythonTracerRule = {
    .name = "python_tracer",
    .topic = Topic::kCapture,
    .summary = "the Python tracer distorts a host-bound capture",
    .check = PythonTracer,
    .explain =
        "Speaks when the capture holds Python frames, the host costs 10 % of a step or more, and no steps "
        "without the profiler are known (gait's own captures note them). It has no cost: it says that other "
        "costs are estimates or too high.",
};

}  // namespace gait::analyze

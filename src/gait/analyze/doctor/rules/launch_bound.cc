#include <fmt/format.h>

#include "gait/analyze/doctor/gap_reason.h"
#include "gait/analyze/doctor/rule.h"
#include "gait/analyze/doctor/rules/program_size.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr uint64_t kFewestLaunches = 10;  // a step

Verdict LaunchBound(const Patient& patient) {
  if (!patient.has_gpu()) return Verdict::Unchecked("the capture holds no GPU");
  const LaunchCalls& launches = patient.kernels.launches;
  const auto steps = static_cast<uint64_t>(std::max<int64_t>(1, patient.kernels.steps));
  if (launches.calls / steps < kFewestLaunches) return Verdict::Clean();
  // A whole step without graphs is a matter of its own (cuda_graphs).
  const bool whole = OperationsOfMainProgram(patient) >= kJittedStep;
  if (whole && launches.graph_calls == 0 && patient.peaks.vendor != Vendor::kAmd) return Verdict::Clean();
  const Claims claims =
      patient.ClaimIdle([](const IdleSlice& p) { return ReasonOf(p) == GapReason::kLaunching; });
  constexpr double kLeast = 0.05;  // of a step
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const Ps mean = patient.kernels.total / static_cast<int64_t>(std::max<uint64_t>(1, patient.kernels.count));
  const bool eager = launches.graph_calls == 0 && launches.calls * 2 > patient.kernels.count;
  finding.title = "Launch-bound";
  finding.cause = fmt::format(
      "The host cannot launch as fast as the device runs: {} {} a step, and a kernel runs {} on average.",
      report::CountText(launches.calls / steps), eager ? "launches of single kernels" : "launches",
      report::TimeText(mean));
  finding.fix =
      "put the whole step under one jit, and loops over layers or time into lax.scan:\n"
      "  @jax.jit\n"
      "  def train_step(state, batch): ...\n"
      "code that runs operation by operation launches each of them by itself";
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.evidence.insert(
      finding.evidence.begin(),
      Evidence{fmt::format(
          "{} kernels a step, median {}; launch calls of {} on average",
          report::CountText(patient.kernels.count / steps),
          report::TimeText(patient.kernels.kernels.empty() ? Ps() : patient.kernels.kernels[0].durations.p50),
          report::TimeText(launches.durations.mean))});
  finding.see = "kernels";
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kLaunchBoundRule;
const Rule kLaunchBoundRule = {
    "launch_bound", "the host launches slower than the device runs", LaunchBound,
    "Speaks when a step makes at least 10 launches and the device idles for 5 % of it or more because the "
    "next\n"
    "launch had not come, inside a step. Cost: that idle time, of gaps that Python, dispatch and the launch\n"
    "calls themselves caused; none of it is needed when the step is one program."};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/question/idle/launch_stats.h"
#include "gait/analyze/verdict/doctor/claims/program_size.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr uint64_t kFewestLaunches = 10;  // a step

constexpr double kLaunchBoundShare = 0.05;  // of a step
constexpr const char* kLaunchLess =
    "put the whole step under one jit, and loops over layers or time into lax.scan:\n"
    "  @jax.jit\n"
    "  def train_step(state, batch): ...\n"
    "code that runs operation by operation launches each of them by itself";

Verdict OfKernels(const Patient& patient) {
  const LaunchCalls& launches = patient.kernels.launches;
  const auto steps = static_cast<uint64_t>(std::max<int64_t>(1, patient.kernels.steps));
  if (launches.calls / steps < kFewestLaunches) return Verdict::Clean();
  // A whole step without graphs is a matter of its own (cuda_graphs).
  const bool whole = OperationsOfMainProgram(patient) >= kJittedStep;
  if (whole && launches.graph_calls == 0 && patient.peaks.vendor != Vendor::kAmd) return Verdict::Clean();
  const Claims claims =
      patient.ClaimIdle([](const IdleSlice& p) { return p.reason == GapReason::kLaunching; });
  if (!patient.Matter(claims, kLaunchBoundShare)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const Ps mean = patient.kernels.total / static_cast<int64_t>(std::max<uint64_t>(1, patient.kernels.count));
  const SizeClass& shortest = patient.kernels.sizes[0];
  const bool eager = launches.graph_calls == 0 && launches.calls * 2 > patient.kernels.count;
  finding.title = "Launch-bound";
  finding.cause = fmt::format(
      "The host cannot launch as fast as the device runs: {} {} a step, and a kernel runs {} on average.",
      report::CountText(launches.calls / steps), eager ? "launches of single kernels" : "launches",
      report::TimeText(mean));
  finding.fix = kLaunchLess;
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.evidence.insert(
      finding.evidence.begin(),
      Evidence{fmt::format(
          "{} kernels a step, {} of them {}; launch calls of {} on average",
          report::CountText(patient.kernels.count / steps),
          shortest.count == patient.kernels.count ? "all" : report::CountText(shortest.count / steps),
          shortest.name, report::TimeText(launches.durations.mean))});
  finding.see = {"kernels"};
  return Verdict::Of(std::move(finding));
}

// Of a CPU and a TPU whole programs are launched, and eager code makes one of every operation.
struct ProgramLaunches {
  uint64_t count = 0;
  Ps calls;
};

ProgramLaunches CountPrograms(const RunView& view) {
  ProgramLaunches sum;
  for (const HostView& host : view.hosts) {
    for (const DeviceLaunches& device : FindLaunches(host, host.work)) {
      for (const LaunchStats& kind : device.kinds) {
        if (kind.kind != LaunchKind::kProgram) continue;
        sum.count += kind.launches;
        sum.calls += kind.call.mean * static_cast<int64_t>(kind.launches);
      }
    }
  }
  return sum;
}

Verdict OfPrograms(const Patient& patient) {
  const ProgramLaunches programs = CountPrograms(*patient.view);
  if (programs.count == 0) return Verdict::Unchecked("the capture does not hold the host's launches");
  const auto steps = static_cast<uint64_t>(patient.ledger.steps());
  if (programs.count / steps < kFewestLaunches) return Verdict::Clean();
  // Between two programs also what was launched in time waits: for a thread, for the one before.
  const Claims claims = patient.ClaimIdle([](const IdleSlice& p) {
    const GapReason reason = p.reason;
    const bool between = p.gap != nullptr && p.gap->first && p.cause != IdleCause::kUnknown;
    return reason == GapReason::kLaunching || (reason == GapReason::kDevice && between);
  });
  if (!patient.Matter(claims, kLaunchBoundShare)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const auto count = static_cast<int64_t>(programs.count);
  finding.title = "Launch-bound";
  finding.cause = fmt::format(
      "The host cannot launch as fast as the device runs: {} programs a step, and each runs {} on average.",
      report::CountText(programs.count / steps), report::TimeText(patient.overview.total.busy() / count));
  finding.fix = kLaunchLess;
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.evidence.insert(finding.evidence.begin(),
                          Evidence{fmt::format("{} programs a step; calls of {} on average",
                                               report::CountText(programs.count / steps),
                                               report::TimeText(programs.calls / count))});
  finding.see = {"idle", "cause", "dispatch"};
  return Verdict::Of(std::move(finding));
}

Verdict LaunchBound(const Patient& patient) {
  if (!patient.has_devices()) return Verdict::Unchecked("no device did anything");
  return patient.has_gpu() ? OfKernels(patient) : OfPrograms(patient);
}

}  // namespace

extern const Rule kLaunchBoundRule;
const Rule kLaunchBoundRule = {
    .name = "launch_bound",
    .topic = Topic::kHost,
    .summary = "the host launches slower than the device runs",
    .metrics = "host_wait kernels launches",
    .check = LaunchBound,
    .explain =
        "Speaks when a step makes at least 10 launches (of kernels and graphs on a GPU, of programs on a CPU "
        "or TPU) and the device idles for 5 % of it or more because the next launch had not come, inside a "
        "step. Cost: that idle time, of gaps that Python, dispatch and the launch calls themselves caused, "
        "and between programs; none of it is needed when the step is one program.",
};

}  // namespace gait::analyze

#include <fmt/format.h>

#include "gait/analyze/verdict/doctor/claims/claim_parts.h"
#include "gait/analyze/verdict/doctor/claims/program_size.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/analyze/verdict/doctor/rule.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// A host that runs ahead comes late to a step, in the call of its program, because it was launching until
// then.
bool IsLateFromLaunching(const IdleSlice& piece) {
  const GapReason reason = piece.reason;
  if (reason == GapReason::kLaunching) return true;
  if (reason != GapReason::kBetweenSteps || piece.gap == nullptr) return false;
  const bool ahead = !piece.host->series.empty() && !piece.host->series[0].waits;
  return ahead && IsRuntimeOnly(piece);
}

Verdict CudaGraphs(const Patient& patient) {
  if (!patient.has_gpu() || patient.peaks.vendor == Vendor::kAmd) {
    return Verdict::Unchecked("the capture holds no NVIDIA GPU");
  }
  const LaunchCalls& launches = patient.kernels.launches;
  if (launches.calls == 0) return Verdict::Unchecked("the capture holds no launch calls");
  if (launches.graph_calls > 0 || OperationsOfMainProgram(patient) < kJittedStep) return Verdict::Clean();
  // A graph saves the launches; what else the host does, a callback say, it goes on doing.
  const Claims claims = Within(patient.ClaimIdle(IsLateFromLaunching), launches.total);
  constexpr double kLeast = 0.02;
  if (!patient.Matter(claims, kLeast)) return Verdict::Clean();
  Finding finding = patient.Costs(claims);
  const auto steps = static_cast<uint64_t>(std::max<int64_t>(1, patient.kernels.steps));
  finding.title = "CUDA graphs are off";
  finding.cause = fmt::format(
      "Each of the program's {} kernels a step is launched by itself, and the host is too slow for that.",
      report::CountText(patient.kernels.count / steps));
  finding.fix =
      "let XLA record the program as CUDA graphs (the default; look for what turned it off):\n"
      "  XLA_FLAGS=--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN";
  finding.evidence = patient.GapEvidence(claims, InScene);
  finding.evidence.insert(
      finding.evidence.begin(),
      Evidence{fmt::format("{} launch calls, none of a graph; {} each on average",
                           report::CountText(launches.calls), report::TimeText(launches.durations.mean))});
  finding.see = {"idle"};
  return Verdict::Of(std::move(finding));
}

}  // namespace

extern const Rule kCudaGraphsRule;
const Rule kCudaGraphsRule = {
    .name = "cuda_graphs",
    .topic = Topic::kDevice,
    .summary = "a large program launched kernel by kernel",
    .metrics = "host_wait kernels launches",
    .check = CudaGraphs,
    .explain =
        "Speaks when a program of 20 or more operations runs on an NVIDIA GPU without CUDA graphs and the "
        "device idles for 2 % of a step or more because launches came late. Cost: that idle time; where the "
        "host runs ahead, between steps too, as far as it was in the call of the program. At most the time "
        "of the launch calls: a graph saves no more.",
};

}  // namespace gait::analyze

#include "gait/analyze/verdict/scaling/result_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/question/memory/allocators.h"
#include "gait/analyze/verdict/scaling/scaling.h"
#include "gait/report/json_object.h"

namespace gait::analyze {
namespace {

struct MeanStep {
  Ps mean;
  std::optional<Ps> noise;  // twice the standard error; nullopt: of one step
  size_t steps = 0;
};

// Of the steps that count, or of those in which nothing was compiled.
std::optional<MeanStep> MeanOf(const StepSeries& series, bool warm) {
  std::vector<Ps> times;
  for (const Step* step : series.Counted()) {
    if (!warm || !step->compiles) times.push_back(step->duration());
  }
  if (times.empty()) return std::nullopt;
  Ps sum;
  for (const Ps time : times) sum += time;
  const auto count = static_cast<int64_t>(times.size());
  return MeanStep{sum / count, NoiseOf(times), times.size()};
}

// Of captures of one block, each a step.
std::optional<MeanStep> MeanOfCaptures(const ScalingRun& run) {
  return MeanStep{run.step, run.noise, static_cast<size_t>(run.steps)};
}
std::optional<MeanStep> MeanOfWarmCaptures(const ScalingRun& run) {
  if (!run.warm_step) return std::nullopt;
  return MeanStep{*run.warm_step, run.warm_noise, static_cast<size_t>(run.warm)};
}

}  // namespace

std::string ResultFileName(int64_t devices) { return fmt::format("profile_{}gpu_results.json", devices); }

std::string ResultRecord(const RunView& view, const ScalingRun& run, const Configuration& configuration) {
  const std::string because = run.NotIsolatedBecause();
  const bool isolated = because.empty();
  report::JsonObject initial;
  report::JsonObject final;
  report::JsonObject timing;
  report::JsonObject methods;
  report::JsonObject profiles;
  for (const HostView& host : view.hosts) {
    for (const Allocator& allocator : FindAllocators(host, view.selection)) {
      if (allocator.space != MemorySpace::kDevice || allocator.events.empty()) continue;
      initial.Add(allocator.device, std::to_string(allocator.before));
      final.Add(allocator.device, std::to_string(allocator.events.back().in_use));
    }
  }
  for (const std::string& path : configuration.memory_profiles) {
    profiles.Text(path.substr(path.rfind('/') + 1), path);
  }
  report::JsonObject record;
  record.Add("gpu_count", std::to_string(configuration.devices));
  record.Add("n_qubit", "null");
  record.Text("timestamp", configuration.stamp);
  record.Add("isolation_verified", isolated ? "true" : "false");
  if (!isolated) record.Text("isolation_failed_because", because);
  for (const StepSeries& series : view.hosts.front().series) {
    const bool pooled = &series == &view.hosts.front().series.front() && series.blocks() &&
                        series.steps.size() == 1 && run.steps > 1;
    const std::optional<MeanStep> step = pooled ? MeanOfCaptures(run) : MeanOf(series, false);
    const std::optional<MeanStep> warm = pooled ? MeanOfWarmCaptures(run) : MeanOf(series, true);
    if (!step) continue;
    std::string name = series.name;  // of an annotation, or of a program's launches
    std::ranges::replace(name, ' ', '_');
    timing.Number(name, step->mean.seconds());
    report::JsonObject method;
    method.Number("execution_time", step->mean.seconds());
    method.Add("success", isolated ? "true" : "false");
    method.Text("tensorboard_trace", configuration.folder);
    method.Add("warm_time", warm ? fmt::format("{}", warm->mean.seconds()) : "null");
    method.Add("warm_time_noise", warm && warm->noise ? fmt::format("{}", warm->noise->seconds()) : "null");
    method.Add("warm_steps", std::to_string(warm ? warm->steps : 0));
    methods.Add(fmt::format("unitary_grad_{}", name), method.Done());
  }
  record.Add("initial_gpu_memory", initial.Done());
  record.Add("final_gpu_memory", final.Done());
  record.Add("step_timing", timing.Done());
  record.Add("memory_profiles", profiles.Done());
  record.Add("total_params", "null");
  std::string text = record.Done();
  if (const std::string more = methods.Done(); more != "{}") {
    text.back() = ',';
    text += more.substr(1);
  }
  return text + "\n";
}

}  // namespace gait::analyze

#include "gait/analyze/scaling/result_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "gait/analyze/memory/allocators.h"
#include "gait/analyze/scaling/scaling.h"
#include "gait/report/json_object.h"

namespace gait::analyze {
namespace {

std::optional<Ps> MeanStep(const StepSeries& series) {
  const std::vector<const Step*> steps = series.Counted();
  if (steps.empty()) return std::nullopt;
  Ps sum;
  for (const Step* step : steps) sum += step->duration();
  return sum / static_cast<int64_t>(steps.size());
}

}  // namespace

std::string ResultFileName(int64_t devices) { return fmt::format("profile_{}gpu_results.json", devices); }

std::string ResultRecord(const RunView& view, const Configuration& configuration) {
  const bool isolated = ScalingRunOf(view, configuration.devices).verified();
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
  for (const StepSeries& series : view.hosts.front().series) {
    const std::optional<Ps> step = MeanStep(series);
    if (!step) continue;
    std::string name = series.name;  // of an annotation, or of a program's launches
    std::ranges::replace(name, ' ', '_');
    timing.Number(name, step->seconds());
    report::JsonObject method;
    method.Number("execution_time", step->seconds());
    method.Add("success", isolated ? "true" : "false");
    method.Text("tensorboard_trace", configuration.folder);
    method.Number("warm_time", step->seconds());
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

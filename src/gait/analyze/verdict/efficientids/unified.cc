#include "gait/analyze/verdict/efficientids/unified.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/report/json.h"
#include "gait/report/json_object.h"

namespace gait::analyze {
namespace {

std::string List(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) out += (out.size() > 1 ? "," : "") + item;
  return out + "]";
}

double Us(Ps time) { return static_cast<double>(time.value()) / 1e6; }

constexpr size_t kTopKernels = 20;

std::string Metadata(const Patient& patient) {
  const RunView& view = *patient.view;
  const HostView& host = view.hosts.front();
  std::string platform = "cpu";
  std::string model = "CPU";
  for (const HostView& h : view.hosts) {
    for (const Device& device : h.devices) {
      const Plane& plane = h.trace().plane(device.plane);
      if (plane.kind == PlaneKind::kGpu) platform = "gpu";
      if (plane.kind == PlaneKind::kTpu) platform = "tpu";
      if (const std::string name = DeviceModel(h.trace(), plane); !name.empty()) model = name;
    }
  }
  report::JsonObject json;
  json.Text("platform", platform);
  json.Text("device_type", model);
  json.Text("trace_file", host.host->path);
  json.Text("framework", "jax");
  json.Count("num_devices", static_cast<uint64_t>(view.device_count()));
  json.Text("timestamp", WallTime(StartTime(*view.run)));
  json.Text("profiler_version", "1.0.0");
  return json.Done();
}

// Over the steps of all hosts.
std::optional<StepStatistics> StatisticsOf(const RunView& view) {
  std::vector<const StepSeries*> series;
  for (const HostView& host : view.hosts) {
    if (!host.series.empty() && host.series[0].has_work()) series.push_back(&host.series[0]);
  }
  if (series.empty()) return std::nullopt;
  return StepStatistics(series);
}

std::string StepTiming(const Patient& patient) {
  report::JsonObject json;
  const std::optional<StepStatistics> steps = StatisticsOf(*patient.view);
  const uint64_t events = [&] {
    uint64_t sum = 0;
    for (const OpTotal& op : patient.operations()) sum += op.events;
    return sum;
  }();
  const uint64_t kernels = patient.kernels.count > 0 ? patient.kernels.count : events;
  if (steps && patient.has_steps()) {
    // Of each device: sums over devices are divided by them.
    const double mean = Us(patient.ledger.captured_step());
    const auto count = static_cast<uint64_t>(patient.ledger.steps() / patient.view->device_count());
    json.Count("num_steps", count);
    json.Number("total_time_us", mean * static_cast<double>(count));
    json.Number("avg_step_time_us", mean);
  }
  json.Count("total_kernels", kernels);
  json.Number("kernels_per_step",
              patient.has_steps()
                  ? std::optional(static_cast<double>(kernels) / static_cast<double>(patient.ledger.steps()))
                  : std::nullopt);
  json.Text("step_count_source", !steps || !patient.has_steps()        ? "none"
                                 : patient.overview.series->inferred() ? "inferred"
                                                                       : "annotation");
  return json.Done();
}

std::string Kernels(const Patient& patient) {
  std::vector<std::string> top;
  std::map<std::string, std::pair<uint64_t, Ps>> categories;
  for (const OpTotal& op : patient.operations()) {
    if (op.self == Ps()) continue;
    auto& [count, time] = categories[std::string(Name(op.what.category))];
    count += op.executions;
    time += op.self;
  }
  const auto row = [&](const std::string& name, uint64_t count, Ps total) {
    report::JsonObject json;
    json.Text("name", name);
    json.Count("count", count);
    json.Number("total_time_us", Us(total));
    json.Number("avg_time_us",
                count > 0 ? std::optional(Us(total) / static_cast<double>(count)) : std::nullopt);
    json.Number("percent", 100 * ShareOf(total, patient.overview.operations->busy));
    return json.Done();
  };
  if (patient.kernels.count > 0) {
    for (size_t i = 0; i < patient.kernels.kernels.size() && i < kTopKernels; ++i) {
      const Kernel& kernel = patient.kernels.kernels[i];
      top.push_back(row(kernel.name, kernel.count, kernel.total));
    }
  } else {
    std::vector<const OpTotal*> sorted;
    for (const OpTotal& op : patient.operations()) sorted.push_back(&op);
    std::ranges::stable_sort(sorted, std::greater(), [](const OpTotal* op) { return op->self; });
    for (size_t i = 0; i < sorted.size() && i < kTopKernels; ++i)
      top.push_back(row(sorted[i]->what.name, sorted[i]->executions, sorted[i]->self));
  }
  report::JsonObject by_category;
  for (const auto& [name, sum] : categories) {
    report::JsonObject one;
    one.Count("count", sum.first);
    one.Number("total_time_us", Us(sum.second));
    by_category.Add(name, one.Done());
  }
  report::JsonObject json;
  json.Add("top_kernels", List(top));
  json.Add("kernels_by_category", by_category.Done());
  return json.Done();
}

std::string Statistics(const StepStatistics& steps) {
  report::JsonObject json;
  json.Number("mean_us", steps.mean() / 1e6);
  json.Number("median_us", Us(steps.median()));
  json.Number("std_us", steps.sigma() / 1e6);
  json.Number("min_us", Us(steps.sorted.front()));
  json.Number("max_us", Us(steps.sorted.back()));
  json.Number("p90_us", Us(steps.at(0.9)));
  json.Number("p99_us", Us(steps.at(0.99)));
  return json.Done();
}

std::string Gaps(const Patient& patient) {
  std::array<GapClass, std::size(kGapLimits)> lengths{};
  for (const HostView& host : patient.view->hosts) {
    for (const DeviceIdle& device : FindIdle(host).devices) {
      for (size_t i = 0; i < lengths.size(); ++i) {
        lengths[i].gaps += device.lengths[i].gaps;
        lengths[i].time += device.lengths[i].time;
      }
    }
  }
  report::JsonObject json;
  json.Count("small_gaps", lengths[0].gaps + lengths[1].gaps);
  json.Count("medium_gaps", lengths[2].gaps);
  json.Count("large_gaps", lengths[3].gaps);
  json.Number("total_gap_time_us",
              Us(patient.overview.total.idle / std::max<int64_t>(1, patient.view->device_count())));
  return json.Done();
}

std::string MemoryOperations(const Patient& patient) {
  report::JsonObject json;
  for (const TransferKind& kind : patient.overview.transfers->kinds) {
    if (kind.in_program) continue;
    report::JsonObject one;
    one.Count("count", kind.sum.count);
    if (kind.sum.without_bytes == 0) one.Number("bytes", static_cast<double>(kind.sum.bytes));
    one.Number("total_time_us", Us(kind.sum.time()));
    std::string name(Name(kind.kind));
    std::ranges::replace(name, ' ', '_');
    json.Add(name, one.Done());
  }
  return json.Done();
}

}  // namespace

std::string UnifiedJson(const Patient& patient) {
  const Overview& overview = patient.overview;
  report::JsonObject json;
  json.Add("metadata", Metadata(patient));
  json.Add("model_config", "{}");
  json.Add("parameter_counts", "{}");
  json.Add("step_timing", StepTiming(patient));
  report::JsonObject throughput;
  if (patient.has_steps()) {
    const double seconds = static_cast<double>(patient.ledger.captured_step().value()) * 1e-12;
    throughput.Number("steps_per_sec", seconds > 0 ? std::optional(1 / seconds) : std::nullopt);
    throughput.Number("ms_per_step", seconds * 1e3);
  }
  throughput.Text("note", "times are means over the devices");
  json.Add("throughput", throughput.Done());
  if (overview.work.mfu) {
    report::JsonObject flops;
    flops.Number("mfu_percent", 100 * *overview.work.mfu);
    flops.Number("achieved_tflops", overview.work.flops_per_second
                                        ? std::optional(*overview.work.flops_per_second / 1e12)
                                        : std::nullopt);
    flops.Number("peak_tflops",
                 overview.work.peak ? std::optional(*overview.work.peak / 1e12) : std::nullopt);
    json.Add("flop_stats", flops.Done());
  }
  report::JsonObject coverage;
  coverage.Number("timeline_coverage_percent",
                  overview.total.window > Ps()
                      ? std::optional(100 * ShareOf(overview.total.busy(), overview.total.window))
                      : std::nullopt);
  const auto devices_seen = std::max<int64_t>(1, patient.view->device_count());
  coverage.Number("kernel_time_us", Us(overview.total.busy() / devices_seen));
  coverage.Number("idle_time_us", Us(overview.total.idle / devices_seen));
  if (patient.kernels.union_time > Ps())
    coverage.Number("avg_concurrent_kernels", ShareOf(patient.kernels.total, patient.kernels.union_time));
  coverage.Text("note", "share of time in which the device did something, not how well it was used");
  json.Add("timeline_coverage", coverage.Done());
  json.Add("kernels", Kernels(patient));
  json.Add("memory_operations", MemoryOperations(patient));
  if (patient.view->device_count() > 1) {
    report::JsonObject devices;
    devices.Count("num_devices", static_cast<uint64_t>(patient.view->device_count()));
    devices.Number("exposed_communication_us", Us(overview.total.exposed_communication / devices_seen));
    devices.Number("hidden_communication_us", Us(overview.total.hidden_communication / devices_seen));
    json.Add("multi_device", devices.Done());
  }
  json.Add("timeline_analysis", Gaps(patient));
  report::JsonObject compilation;
  const CompileTotals most = MostOfAnyHost(overview.compiles);
  compilation.Count("num_compilations", most.compiled);
  compilation.Number("total_compile_time_us", Us(most.wall));
  json.Add("compilation", compilation.Done());
  if (const auto steps = StatisticsOf(*patient.view)) json.Add("statistical_performance", Statistics(*steps));
  return json.Done();
}

}  // namespace gait::analyze

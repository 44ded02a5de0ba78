#include "gait/analyze/question/kernels/kernels_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/json.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextKernels = 20;
constexpr double kMuchStrange = 20;  // percent of kernel time that belongs to no program
constexpr size_t kFirstFew = 3;      // operations that text names
constexpr const char* kNoDetails = "the capture does not say: its kernels have no such kernel_details";

Cell ShareOf(Ps part, Ps whole) {
  return whole == Ps() ? Cell(Unknown{"there is no time to take a share of"})
                       : Cell(100 * Ratio(part, whole));
}

Cell PerStep(uint64_t count, int64_t steps) {
  if (steps == 0) return Unknown{kNoSteps};
  return static_cast<double>(count) / static_cast<double>(steps);
}

Cell Known(std::optional<int64_t> value) { return value ? Cell(*value) : Cell(Unknown{kNoDetails}); }

Cell Dimensions(const std::optional<std::array<int64_t, 3>>& d) {
  if (!d) return Unknown{kNoDetails};
  return fmt::format("{}", fmt::join(*d, ","));
}

Cell List(const std::vector<std::string>& items) {
  std::vector<std::string> quoted;
  for (const std::string& item : items) quoted.push_back(report::JsonString(item));
  const size_t shown = std::min(items.size(), kFirstFew);
  std::string plain =
      fmt::format("{}", fmt::join(items.begin(), items.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (items.size() > shown) plain += fmt::format(", and {} more", items.size() - shown);
  return Cell::Json(fmt::format("[{}]", fmt::join(quoted, ",")), std::move(plain));
}

template <typename T>
Cell Numbers(const std::vector<T>& numbers) {
  return Cell::Json(fmt::format("[{}]", fmt::join(numbers, ",")),
                    fmt::format("{}", fmt::join(numbers, ", ")));
}

Cell LimiterOf(const Kernel& kernel) {
  if (!kernel.computed) {
    return Unknown{"needs registers, shared memory, block and a known compute capability of the device"};
  }
  constexpr const char* kShort[] = {"none", "regs", "smem", "block", "blocks"};
  return Cell(Name(kernel.computed->limiter)).ShownAs(kShort[static_cast<size_t>(kernel.computed->limiter)]);
}

Column Time(std::string name, std::string_view about, Show show = {}) {
  return {std::move(name), Type::kInteger, unit::kPs, std::move(show), about};
}

Column Wide(std::string name, Type type, std::string_view about, std::string_view unit_name = unit::kNone) {
  return {std::move(name), type, unit_name, {.wide = true}, about};
}

std::vector<Column> KernelColumns() {
  return {
      {"kernel",
       Type::kText,
       unit::kNone,
       {.elastic = true},
       "the kernel, by the shortest name no other has"},
      {"count", Type::kInteger, unit::kNone, {}, "how often it ran in the time that the report covers"},
      Time("total", "sum of its durations, over all devices", {.group = "total"}),
      {"share", Type::kNumber, unit::kPercent, {.head = "of kernels"}, "its part of the time of all kernels"},
      Time("mean", "mean duration", {.group = "one"}),
      {"occupancy",
       Type::kNumber,
       unit::kPercent,
       {.head = "occ."},
       "theoretical occupancy: the part of a multiprocessor's threads that fit at once"},
      {"tensor_cores",
       Type::kText,
       unit::kNone,
       {.head = "TC", .optional = true},
       "whether it uses tensor cores (AMD: matrix cores), by its name or what it computes"},
      {"limited_by",
       Type::kText,
       unit::kNone,
       {.head = "limit", .optional = true},
       "what keeps the occupancy below 100 %: registers, shared memory, block size, blocks"},
      Wide("p99", Type::kInteger, "99 of 100 runs took at most this long", unit::kPs),
      HiddenColumn("name", Type::kText, "the kernel's whole name, demangled"),
      HiddenColumn("class", Type::kText, "compute, communication, or unknown for kernels of no program"),
      HiddenColumn("union", Type::kInteger,
                   "time during which at least one run of it was on, device by device", unit::kPs),
      Wide("p50", Type::kInteger, "half of the runs took at most this long", unit::kPs),
      Wide("min", Type::kInteger, "the shortest run", unit::kPs),
      Wide("max", Type::kInteger, "the longest run", unit::kPs),
      HiddenColumn("per_step", Type::kNumber, "runs per step and device"),
      Wide("grid", Type::kText, "blocks of the grid, the most frequent shape"),
      Wide("block", Type::kText, "threads of a block, the most frequent shape"),
      Wide("registers", Type::kInteger, "registers per thread, of the most frequent shape"),
      HiddenColumn("static_shared", Type::kInteger, "static shared memory per block", unit::kBytes),
      HiddenColumn("dynamic_shared", Type::kInteger, "dynamic shared memory per block", unit::kBytes),
      Wide("shared", Type::kInteger, "shared memory per block", unit::kBytes),
      HiddenColumn("varies", Type::kText, "yes when it was launched with several shapes: the ranges follow"),
      HiddenColumn("shapes", Type::kInteger, "how many different shapes it was launched with"),
      HiddenColumn("grid_blocks_min", Type::kInteger, "least number of blocks"),
      HiddenColumn("grid_blocks_max", Type::kInteger, "greatest number of blocks"),
      HiddenColumn("block_threads_min", Type::kInteger, "least number of threads of a block"),
      HiddenColumn("block_threads_max", Type::kInteger, "greatest number of threads of a block"),
      HiddenColumn("registers_min", Type::kInteger, "least number of registers per thread"),
      HiddenColumn("registers_max", Type::kInteger, "greatest number of registers per thread"),
      HiddenColumn("shared_min", Type::kInteger, "least shared memory per block", unit::kBytes),
      HiddenColumn("shared_max", Type::kInteger, "greatest shared memory per block", unit::kBytes),
      HiddenColumn("occupancy_computed", Type::kNumber,
                   "occupancy computed from registers, shared memory and block", unit::kPercent),
      HiddenColumn("waves", Type::kNumber,
                   "blocks of the grid over the blocks that fit the device: below 1 it is not full"),
      HiddenColumn("devices", Type::kAny, "devices it ran on"),
      Wide("streams", Type::kAny, "streams it ran on"),
      {"operation_count",
       Type::kInteger,
       unit::kNone,
       {.head = "operations", .wide = true},
       "how many HLO instructions run it"},
      HiddenColumn("operations", Type::kAny, "HLO instructions that run it, with their program"),
      HiddenColumn("operation_programs", Type::kAny, "the ids of their programs"),
      HiddenColumn("scopes", Type::kAny, "scope paths of these instructions"),
  };
}

Row KernelRow(const Kernel& kernel, const KernelsResult& result) {
  return {kernel.short_name,
          kernel.count,
          kernel.total,
          ShareOf(kernel.total, result.total),
          kernel.durations.mean,
          kernel.occupancy ? Cell(*kernel.occupancy) : Cell(Unknown{kNoDetails}),
          kernel.tensor_cores == TensorCores::kUnknown
              ? Cell(Unknown{"neither its name nor its instructions tell"})
              : Cell(Name(kernel.tensor_cores)),
          LimiterOf(kernel),
          kernel.durations.p99,
          kernel.name,
          Name(kernel.work),
          kernel.union_time,
          kernel.durations.p50,
          kernel.durations.min,
          kernel.durations.max,
          PerStep(kernel.count, result.steps),
          Dimensions(kernel.shape.grid),
          Dimensions(kernel.shape.block),
          Known(kernel.shape.registers),
          Known(kernel.shape.static_shared),
          Known(kernel.shape.dynamic_shared),
          Known(kernel.shape.shared),
          kernel.shapes > 1 ? "yes" : "no",
          kernel.shapes,
          Known(kernel.grid_blocks.min),
          Known(kernel.grid_blocks.max),
          Known(kernel.block_threads.min),
          Known(kernel.block_threads.max),
          Known(kernel.registers.min),
          Known(kernel.registers.max),
          Known(kernel.shared.min),
          Known(kernel.shared.max),
          kernel.computed ? Cell(kernel.computed->percent) : Cell(Unknown{kNoDetails}),
          kernel.waves ? Cell(*kernel.waves) : Cell(Unknown{kNoDetails}),
          List(kernel.devices),
          Numbers(kernel.streams),
          static_cast<uint64_t>(kernel.operations.size()),
          List(kernel.operations),
          Numbers(kernel.programs),
          List(kernel.scopes)};
}

// Why there is no kernel to show, and where to look instead.
std::string WhyNone(const RunView& view) {
  bool tpu = false;
  bool cpu = false;
  bool gpu = false;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      const PlaneKind kind = host.trace().plane(device.plane).kind;
      tpu |= kind == PlaneKind::kTpu;
      cpu |= kind == PlaneKind::kCpuDevice;
      gpu |= kind == PlaneKind::kGpu;
    }
  }
  if (gpu) return "no kernels: no GPU ran one in the time that was selected";
  const std::string ops = Command("ops", *view.run);
  if (tpu) return "no kernels: a TPU runs the operations of programs, which " + ops + " shows";
  if (cpu) return "no kernels: a CPU runs the operations of programs, which " + ops + " shows";
  return "no kernels: the capture has no work of a GPU; gait info says what it holds";
}

Table KernelsTable(const RunView& view, const KernelsResult& result) {
  Table table;
  table.name = "kernels";
  table.columns = KernelColumns();
  table.key = "name";
  table.text_rows = kTextKernels;
  table.if_empty = WhyNone(view);
  for (const Kernel& kernel : result.kernels) table.rows.push_back(KernelRow(kernel, result));
  return table;
}

Table SizesTable(const KernelsResult& result) {
  Table table;
  table.name = "kernel_sizes";
  table.columns = {
      {"duration", Type::kText, unit::kNone, {.head = "kernels of"}, "how long one run of a kernel took"},
      {"count", Type::kInteger, unit::kNone, {}, "runs of that length"},
      {"count_share", Type::kNumber, unit::kPercent, {.head = "of runs"}, "their part of all runs"},
      Time("total", "sum of their durations"),
      {"time_share",
       Type::kNumber,
       unit::kPercent,
       {.head = "of kernel time"},
       "their part of the time of all kernels"}};
  if (result.count == 0) return table;
  for (const SizeClass& size : result.sizes) {
    table.rows.push_back({size.name, size.count,
                          100 * static_cast<double>(size.count) / static_cast<double>(result.count),
                          size.total, ShareOf(size.total, result.total)});
  }
  return table;
}

Table LaunchesTable(const KernelsResult& result) {
  Table table;
  table.name = "kernel_launches";
  table.columns = {
      {"launches",
       Type::kInteger,
       unit::kNone,
       {.head = "launch calls"},
       "calls of the host that launched kernels; a CUDA graph launch is one"},
      {"launches_per_step",
       Type::kNumber,
       unit::kNone,
       {.head = "a step"},
       "launch calls per step and device"},
      {"kernels_per_step",
       Type::kNumber,
       unit::kNone,
       {.head = "kernels a step"},
       "kernels per step and device"},
      Time("call_mean", "mean duration of a launch call on the host", {.head = "call mean", .group = "call"}),
      Time("call_p50", "half of the launch calls took at most this long", {.head = "p50", .group = "call"}),
      Time("call_p99", "99 of 100 launch calls took at most this long", {.head = "p99", .group = "call"}),
      HiddenColumn("call_max", Type::kInteger, "the longest launch call", unit::kPs),
      HiddenColumn("call_total", Type::kInteger, "sum of the durations of the launch calls", unit::kPs),
      {"graph_launches",
       Type::kInteger,
       unit::kNone,
       {.head = "graphs", .optional = true},
       "of the launch calls: launches of a CUDA graph"},
      HiddenColumn("graph_kernels", Type::kInteger, "kernels that ran inside graphs"),
      HiddenColumn("unlinked_kernels", Type::kInteger, "kernels whose launch call is not in the capture"),
      HiddenColumn("dispatching", Type::kInteger,
                   "time between launch calls that follow each other within a millisecond", unit::kPs),
      HiddenColumn("kernel_union", Type::kInteger, "time during which some kernel ran, device by device",
                   unit::kPs),
      HiddenColumn("kernel_total", Type::kInteger, "sum of the durations of all kernels", unit::kPs),
      HiddenColumn("window", Type::kInteger, "time that the report covers, over all GPUs", unit::kPs),
      HiddenColumn("launch_bound", Type::kText,
                   "yes: kernels cover less than half of the time, launching more than half"),
  };
  if (result.count == 0) return table;
  const LaunchCalls& launches = result.launches;
  const auto known = [&](Ps value) {
    return launches.calls == 0 ? Cell(Unknown{"no launch call of these kernels is in the capture"})
                               : Cell(value);
  };
  table.rows.push_back({launches.calls, PerStep(launches.calls, result.steps),
                        PerStep(result.count, result.steps), known(launches.durations.mean),
                        known(launches.durations.p50), known(launches.durations.p99),
                        known(launches.durations.max), known(launches.total), launches.graph_calls,
                        launches.graph_kernels, launches.unlinked, known(launches.dispatching),
                        result.union_time, result.total, result.window, result.launch_bound ? "yes" : "no"});
  return table;
}

// "1 200 kernels a step", "5 kernels".
std::string Amount(const KernelsResult& result) {
  if (result.steps == 0) return report::Plural(result.count, "kernel");
  const auto each = static_cast<uint64_t>(
      std::llround(static_cast<double>(result.count) / static_cast<double>(result.steps)));
  return report::Plural(each, "kernel") + " a step";
}

// In kernels that belong to no program and to no communication library.
Ps StrangeTime(const KernelsResult& result) {
  Ps sum;
  for (const Kernel& kernel : result.kernels) {
    if (kernel.work == WorkClass::kUnknown) sum = SaturatedSum(sum, kernel.total);
  }
  return sum;
}

std::string Answer(const KernelsResult& result) {
  if (result.count == 0) return "No GPU kernels in what was selected.";
  const double covered = 100 * Ratio(result.union_time, result.window);
  const Ps mean = result.total / static_cast<int64_t>(result.count);
  const std::string each = fmt::format("{} of {} on average cover {:.1f} % of the time", Amount(result),
                                       report::TimeText(mean), covered);
  if (result.launch_bound) {
    return fmt::format(
        "Launch-bound: {}; the host makes a launch call every {}. Put more work into each jitted call.", each,
        report::TimeText(result.launches.dispatching / static_cast<int64_t>(result.launches.calls)));
  }
  const double small = 100 * Ratio(SaturatedSum(result.sizes[0].total, result.sizes[1].total), result.total);
  std::string text =
      fmt::format("{}; {:.0f} % of kernel time is in kernels below 100 µs, {:.0f} % below 10 µs", each, small,
                  100 * Ratio(result.sizes[0].total, result.total));
  // Autotuning and other people's kernels are no step's work: that comes before which kernel is the greatest.
  if (const double strange = 100 * Ratio(StrangeTime(result), result.total); strange >= kMuchStrange) {
    return text + fmt::format("; {:.0f} % is in kernels of no program, such as autotuning.", strange);
  }
  const Kernel& first = result.kernels.front();
  return text + fmt::format("; {} takes {:.0f} %.", first.short_name, 100 * Ratio(first.total, result.total));
}

}  // namespace

report::Document KernelsDocument(const RunView& view) {
  const KernelsResult result = FindKernels(view);
  report::Document document = NewDocument("kernels", *view.run);
  document.answer = Answer(result);
  document.tables = TablesOf(KernelsTable(view, result), SizesTable(result), LaunchesTable(result));
  document.main_table = "kernels";
  if (result.count > 0) {
    document.notes.push_back(fmt::format("numbers cover {}{}; copies and memsets are in gait transfers",
                                         view.Coverage(),
                                         result.gpus > 1 ? fmt::format(" on {} devices", result.gpus) : ""));
  }
  if (result.launches.unlinked > 0) {
    document.notes.push_back(report::Plural(result.launches.unlinked, "kernel") +
                             " without a launch call in the capture");
  }
  if (view.run->typed != "-") document.next = {Command("idle", *view.run), Command("ops", *view.run)};
  return document;
}

}  // namespace gait::analyze

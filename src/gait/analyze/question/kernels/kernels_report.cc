#include "gait/analyze/question/kernels/kernels_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/question/kernels/kernels.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr size_t kTextKernels = 20;
constexpr double kMuchStrange = 20;  // percent of kernel time that belongs to no program
constexpr size_t kFirstFew = 3;      // operations that text names
constexpr const char* kNoDetails = "the capture does not say: its kernels have no such kernel_details";

NumberCell ShareOf(Ps part, Ps whole) {
  if (whole == Ps()) return Unknown{"there is no time to take a share of"};
  return 100 * Ratio(part, whole);
}

NumberCell CountPerStep(uint64_t count, int64_t steps) {
  if (steps == 0) return Unknown{kNoSteps};
  return static_cast<double>(count) / static_cast<double>(steps);
}

TextCell Dimensions(const std::optional<std::array<int64_t, 3>>& d) {
  if (!d) return Unknown{kNoDetails};
  return fmt::format("{}", fmt::join(*d, ","));
}

TextCell LimiterOf(const Kernel& kernel) {
  if (!kernel.computed) {
    return Unknown{"needs registers, shared memory, block and a known compute capability of the device"};
  }
  constexpr const char* kShort[] = {"none", "regs", "smem", "block", "blocks"};
  return TextCell(Name(kernel.computed->limiter))
      .ShownAs(kShort[static_cast<size_t>(kernel.computed->limiter)]);
}

TextCell TensorCoresOf(const Kernel& kernel) {
  if (kernel.tensor_cores == TensorCores::kUnknown)
    return Unknown{"neither its name nor its instructions tell"};
  return Name(kernel.tensor_cores);
}

// With which blocks, registers and shared memory it was launched.
void AddShape(TableOf<Kernel>& t) {
  t.Add("grid", {.wide = true}, "blocks of the grid, the most frequent shape",
        [](const Kernel& k) { return Dimensions(k.shape.grid); });
  t.Add("block", {.wide = true}, "threads of a block, the most frequent shape",
        [](const Kernel& k) { return Dimensions(k.shape.block); });
  const auto shape = [](std::optional<int64_t> LaunchShape::* member) {
    return [member](const Kernel& k) { return OrUnknown(k.shape.*member, kNoDetails); };
  };
  t.Add("registers", {.wide = true}, "registers per thread, of the most frequent shape",
        shape(&LaunchShape::registers));
  t.Hidden("static_shared", unit::kBytes, "static shared memory per block",
           shape(&LaunchShape::static_shared));
  t.Hidden("dynamic_shared", unit::kBytes, "dynamic shared memory per block",
           shape(&LaunchShape::dynamic_shared));
  t.Add("shared", unit::kBytes, {.wide = true}, "shared memory per block", shape(&LaunchShape::shared));
  t.Hidden("varies", "yes when it was launched with several shapes: the ranges follow",
           [](const Kernel& k) { return k.shapes > 1; });
  t.Hidden("shapes", "how many different shapes it was launched with", &Kernel::shapes);
  const auto range = [&t](const std::string& name, std::string_view unit, Range Kernel::* of,
                          std::string_view least, std::string_view greatest) {
    t.Hidden(name + "_min", unit, least,
             [of](const Kernel& k) { return OrUnknown((k.*of).min, kNoDetails); });
    t.Hidden(name + "_max", unit, greatest,
             [of](const Kernel& k) { return OrUnknown((k.*of).max, kNoDetails); });
  };
  range("grid_blocks", unit::kNone, &Kernel::grid_blocks, "least number of blocks",
        "greatest number of blocks");
  range("block_threads", unit::kNone, &Kernel::block_threads, "least number of threads of a block",
        "greatest number of threads of a block");
  range("registers", unit::kNone, &Kernel::registers, "least number of registers per thread",
        "greatest number of registers per thread");
  range("shared", unit::kBytes, &Kernel::shared, "least shared memory per block",
        "greatest shared memory per block");
  t.Hidden("occupancy_computed", unit::kPercent, "occupancy computed from registers, shared memory and block",
           [](const Kernel& k) -> NumberCell {
             if (!k.computed) return Unknown{kNoDetails};
             return k.computed->percent;
           });
  t.Hidden("waves", "blocks of the grid over the blocks that fit the device: below 1 it is not full",
           Known(&Kernel::waves, kNoDetails));
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
  TableOf<Kernel> t({.name = "kernels", .if_empty = WhyNone(view), .text_rows = kTextKernels, .key = "name"});
  t.Add("kernel", {.elastic = true}, "the kernel, by the shortest name no other has", &Kernel::short_name);
  t.Add("count", "how often it ran in the time that the report covers", &Kernel::count);
  t.Add("total", {.group = "total"}, "sum of its durations, over all devices", &Kernel::total);
  t.Percent("share", {.head = "of kernels"}, "its part of the time of all kernels",
            [&](const Kernel& k) { return ShareOf(k.total, result.total); });
  t.Add("mean", {.group = "one"}, "mean duration", [](const Kernel& k) { return k.durations.mean; });
  t.Percent("occupancy", {.head = "occ."},
            "theoretical occupancy: the part of a multiprocessor's threads that fit at once",
            Known(&Kernel::occupancy, kNoDetails));
  t.Add("tensor_cores", {.head = "TC", .optional = true},
        "whether it uses tensor cores (AMD: matrix cores), by its name or what it computes", TensorCoresOf);
  t.Add("limited_by", {.head = "limit", .optional = true},
        "what keeps the occupancy below 100 %: registers, shared memory, block size, blocks", LimiterOf);
  t.Add("p99", {.wide = true}, "99 of 100 runs took at most this long",
        [](const Kernel& k) { return k.durations.p99; });
  t.Hidden("name", "the kernel's whole name, demangled", &Kernel::name);
  t.Hidden("class", "compute, communication, or unknown for kernels of no program",
           [](const Kernel& k) { return Name(k.work); });
  t.Hidden("union", "time during which at least one run of it was on, device by device", &Kernel::union_time);
  t.Add("p50", {.wide = true}, "half of the runs took at most this long",
        [](const Kernel& k) { return k.durations.p50; });
  t.Add("min", {.wide = true}, "the shortest run", [](const Kernel& k) { return k.durations.min; });
  t.Add("max", {.wide = true}, "the longest run", [](const Kernel& k) { return k.durations.max; });
  t.Hidden("per_step", "runs per step and device",
           [&](const Kernel& k) { return CountPerStep(k.count, result.steps); });
  AddShape(t);
  t.Hidden("devices", "devices it ran on",
           [](const Kernel& k) { return ListCell(k.devices, ", ", kFirstFew); });
  t.Add("streams", {.wide = true}, "streams it ran on", [](const Kernel& k) { return ListCell(k.streams); });
  t.Add("operation_count", {.head = "operations", .wide = true}, "how many HLO instructions run it",
        [](const Kernel& k) { return k.operations.size(); });
  t.Hidden("operations", "HLO instructions that run it, with their program",
           [](const Kernel& k) { return ListCell(k.operations, ", ", kFirstFew); });
  t.Hidden("operation_programs", "the ids of their programs",
           [](const Kernel& k) { return ListCell(k.programs); });
  t.Hidden("scopes", "scope paths of these instructions",
           [](const Kernel& k) { return ListCell(k.scopes, ", ", kFirstFew); });
  return t.Of(result.kernels);
}

Table SizesTable(const KernelsResult& result) {
  TableOf<SizeClass> t({.name = "kernel_sizes"});
  t.Add("duration", {.head = "kernels of"}, "how long one run of a kernel took", &SizeClass::name);
  t.Add("count", "runs of that length", &SizeClass::count);
  t.Percent("count_share", {.head = "of runs"}, "their part of all runs", [&](const SizeClass& size) {
    return 100 * static_cast<double>(size.count) / static_cast<double>(result.count);
  });
  t.Add("total", "sum of their durations", &SizeClass::total);
  t.Percent("time_share", {.head = "of kernel time"}, "their part of the time of all kernels",
            [&](const SizeClass& size) { return ShareOf(size.total, result.total); });
  AddLengths(t, &SizeClass::from, &SizeClass::below);
  return result.count == 0 ? t.Done() : t.Of(result.sizes);
}

Table LaunchesTable(const KernelsResult& result) {
  TableOf<LaunchCalls> t({.name = "kernel_launches"});
  const auto time = [](auto get) {
    return [get](const LaunchCalls& calls) -> TimeCell {
      if (calls.calls == 0) return Unknown{"no launch call of these kernels is in the capture"};
      return std::invoke(get, calls);
    };
  };
  t.Add("launches", {.head = "launch calls"},
        "calls of the host that launched kernels; a CUDA graph launch is one", &LaunchCalls::calls);
  t.Add("launches_per_step", {.head = "a step"}, "launch calls per step and device",
        [&](const LaunchCalls& calls) { return CountPerStep(calls.calls, result.steps); });
  t.Add("kernels_per_step", {.head = "kernels a step"}, "kernels per step and device",
        [&](const LaunchCalls&) { return CountPerStep(result.count, result.steps); });
  t.Add("call_mean", {.head = "call mean", .group = "call"}, "mean duration of a launch call on the host",
        time([](const LaunchCalls& calls) { return calls.durations.mean; }));
  t.Add("call_p50", {.head = "p50", .group = "call"}, "half of the launch calls took at most this long",
        time([](const LaunchCalls& calls) { return calls.durations.p50; }));
  t.Add("call_p99", {.head = "p99", .group = "call"}, "99 of 100 launch calls took at most this long",
        time([](const LaunchCalls& calls) { return calls.durations.p99; }));
  t.Hidden("call_max", "the longest launch call",
           time([](const LaunchCalls& calls) { return calls.durations.max; }));
  t.Hidden("call_total", "sum of the durations of the launch calls", time(&LaunchCalls::total));
  t.Add("graph_launches", {.head = "graphs", .optional = true},
        "of the launch calls: launches of a CUDA graph", &LaunchCalls::graph_calls);
  t.Hidden("graph_kernels", "kernels that ran inside graphs", &LaunchCalls::graph_kernels);
  t.Hidden("unlinked_kernels", "kernels whose launch call is not in the capture", &LaunchCalls::unlinked);
  t.Hidden("dispatching", "time between launch calls that follow each other within a millisecond",
           time(&LaunchCalls::dispatching));
  const auto all = [&](auto value) { return [value](const LaunchCalls&) { return value; }; };
  t.Hidden("kernel_union", "time during which some kernel ran, device by device", all(result.union_time));
  t.Hidden("kernel_total", "sum of the durations of all kernels", all(result.total));
  t.Hidden("window", "time that the report covers, over all GPUs", all(result.window));
  t.Hidden("launch_bound", "yes: kernels cover less than half of the time, launching more than half",
           all(result.launch_bound));
  if (result.count > 0) t.Row(result.launches);
  return t.Done();
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
    document.links.push_back({"gait transfers", "transfers"});
  }
  if (result.launches.unlinked > 0) {
    document.notes.push_back(report::Plural(result.launches.unlinked, "kernel") +
                             " without a launch call in the capture");
  }
  if (view.run->typed != "-") document.next = {Command("idle", *view.run), Command("ops", *view.run)};
  return document;
}

}  // namespace gait::analyze

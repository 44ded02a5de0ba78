#include "gait/analyze/operations/roofline.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace gait::analyze {
namespace {

// Limited by links between devices or to the host, not by the device's own memory and arithmetic.
bool Travels(Category category) {
  const bool stays = category == Category::kCopyOnDevice || category == Category::kMemset;
  return IsCollectiveCategory(category) || (IsCopyCategory(category) && !stays) ||
         category == Category::kHostCallback;
}

// Outside programs copies compute nothing, and their bytes are another question (gait transfers); what other
// programs compute was not asked for.
bool HasNoWork(const Operation& operation) {
  return !operation.attributed() &&
         (IsCopyCategory(operation.category) || operation.category == Category::kOtherPrograms);
}

bool IsMatrix(MathType type) { return type != MathType::kVector && type != MathType::kVector64; }

OpRoof RoofOf(const OpTotal& total, const Peaks& peaks) {
  OpRoof roof;
  roof.type = MathTypeOf(total.what, peaks);
  roof.peak = peaks.of(roof.type);
  Work& work = roof.work;
  work.flops_known = total.flops.has_value();
  work.bytes_known = total.bytes.has_value();
  work.flops = total.flops.value_or(0);
  work.bytes = total.bytes.value_or(0);
  if (!total.flops || !total.bytes) {
    work.unjudged_because = work.unknown_because = total.unknown_because;
    if (!HasNoWork(total.what)) work.unknown_self = total.self;
    return roof;
  }
  if (Travels(total.what.category)) {
    work.unjudged_because =
        "it waits for links to other devices or to the host, not for this one's arithmetic or memory";
    return roof;
  }
  if (work.flops == 0 && work.bytes == 0) {
    work.unjudged_because = "it computes and moves nothing itself";
    return roof;
  }
  if (!peaks.bytes_per_second) {
    work.unjudged_because = "the device's memory bandwidth is not known; give it with --peak-gbps";
    return roof;
  }
  // Vector units of a TPU have no published peak; what runs on them is taken to be bound by memory.
  if (!roof.peak && IsMatrix(roof.type)) {
    work.unjudged_because = "the device's peak is not known; give it with --peak-tflops";
    return roof;
  }
  work.memory_seconds = work.bytes / *peaks.bytes_per_second;
  work.compute_seconds = roof.peak ? work.flops / *roof.peak : 0;
  work.ideal_seconds = std::max(work.memory_seconds, work.compute_seconds);
  work.judged_self = total.self;
  work.judged_time = total.time;
  if (work.bytes > 0) {
    const double by_memory = work.flops / work.bytes * *peaks.bytes_per_second;
    roof.attainable = roof.peak ? std::min(*roof.peak, by_memory) : by_memory;
  } else {
    roof.attainable = roof.peak;
  }
  const double efficiency = total.time > Ps() ? work.ideal_seconds / total.time.seconds() : 1;
  work.wasted =
      Ps(static_cast<int64_t>(static_cast<double>(total.self.value()) * (1 - std::min(1.0, efficiency))));
  return roof;
}

}  // namespace

std::string_view Name(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kMemory:
      return "memory";
    case Bound::kUnknown:
      return "unknown";
  }
  return "unknown";
}

void Work::Add(const Work& other) {
  flops += other.flops;
  bytes += other.bytes;
  compute_seconds += other.compute_seconds;
  memory_seconds += other.memory_seconds;
  ideal_seconds += other.ideal_seconds;
  judged_self += other.judged_self;
  judged_time += other.judged_time;
  wasted += other.wasted;
  unknown_self += other.unknown_self;
  flops_known |= other.flops_known;
  bytes_known |= other.bytes_known;
  if (unknown_because.empty()) unknown_because = other.unknown_because;
  if (unjudged_because.empty()) unjudged_because = other.unjudged_because;
}

Bound Work::bound() const {
  if (ideal_seconds <= 0) return Bound::kUnknown;
  return compute_seconds > memory_seconds ? Bound::kCompute : Bound::kMemory;
}

std::optional<double> Work::intensity() const {
  return flops_known && bytes_known && bytes > 0 ? std::optional(flops / bytes) : std::nullopt;
}

std::optional<double> Work::efficiency() const {
  if (ideal_seconds <= 0 || judged_time <= Ps()) return std::nullopt;
  return ideal_seconds / judged_time.seconds();
}

Peaks PeaksOfRun(const RunView& view, const PeakOverride& given) {
  std::optional<Peaks> peaks;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      const Peaks own = PeaksOf(host.trace(), host.trace().plane(device.plane), given);
      if (!peaks) peaks = own;
      if (*peaks == own) continue;
      Peaks none;
      none.from = "unknown: the devices are not all of one kind; choose some with --device";
      return none;
    }
  }
  return peaks.value_or(Peaks());
}

std::vector<OpRoof> Roofs(const Operations& operations, const Peaks& peaks) {
  std::vector<OpRoof> roofs;
  roofs.reserve(operations.totals.size());
  for (const OpTotal& total : operations.totals) roofs.push_back(RoofOf(total, peaks));
  return roofs;
}

namespace {

// Over all operations, devices and steps.
struct WorkSum {
  double flops = 0;
  double model_flops = 0;  // without rematerialised ones
  double bytes = 0;
  bool flops_known = false;                  // of at least one operation
  std::array<double, kMathTypes> by_type{};  // flops of matrix products
  Ps unknown{};                              // self time of operations whose flops are not known
  std::string unknown_because{};             // of the first of them

  MathType main_type() const {
    const auto most = std::ranges::max_element(by_type);
    return *most > 0 ? static_cast<MathType>(most - by_type.begin()) : MathType::kVector;
  }
  // Whether another type than the main one has more than a hundredth of the products' flops.
  bool mixed_types() const {
    double products = 0;
    for (const double of_type : by_type) products += of_type;
    return products - *std::ranges::max_element(by_type) > products / 100;
  }
};

WorkSum SumOfWork(const Operations& operations, const std::vector<OpRoof>& roofs) {
  WorkSum sum;
  for (size_t i = 0; i < roofs.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    sum.bytes += total.bytes.value_or(0);
    if (!total.flops) {
      if (total.what.category == Category::kOtherPrograms) continue;
      sum.unknown += roofs[i].work.unknown_self;
      if (sum.unknown_because.empty()) sum.unknown_because = roofs[i].work.unknown_because;
      continue;
    }
    sum.flops_known = true;
    sum.flops += *total.flops;
    if (total.what.scope.pass != Pass::kRematerialised) sum.model_flops += *total.flops;
    if (IsMatrix(roofs[i].type)) sum.by_type[static_cast<size_t>(roofs[i].type)] += *total.flops;
  }
  return sum;
}

// Of a type whose peak is not known.
std::string WhyNoPeak(const Peaks& peaks, MathType type) {
  if (!peaks.of(MathType::kF16)) return fmt::format("the devices' peak is {}", peaks.from);
  return type == MathType::kVector
             ? "there is no matrix product, and the peak of the vector units is not published"
             : fmt::format("{} has no published peak for {}", peaks.device, Name(type));
}

// Flops in terms of one type, of all operations, devices and steps.
struct WeightedFlops {
  double all = 0;
  double model = 0;  // without rematerialised ones
};

// A product of a slower type takes more of the device than its flops say. `peak` is of one device.
WeightedFlops WeightFlops(const Operations& operations, const std::vector<OpRoof>& roofs, const Peaks& peaks,
                          double peak) {
  WeightedFlops sum;
  for (size_t i = 0; i < roofs.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    if (!total.flops) continue;
    const double own = IsMatrix(roofs[i].type) ? peaks.of(roofs[i].type).value_or(0) : 0;
    const double weighted = *total.flops * (own > 0 ? peak / own : 1);
    sum.all += weighted;
    if (total.what.scope.pass != Pass::kRematerialised) sum.model += weighted;
  }
  return sum;
}

}  // namespace

StepWork FindStepWork(const RunView& view, const Operations& operations, const std::vector<OpRoof>& roofs,
                      const Peaks& peaks) {
  const WorkSum sum = SumOfWork(operations, roofs);
  StepWork step;
  step.devices = view.working_devices();
  step.unknown_because = sum.unknown_because;
  step.flops_known = sum.flops_known;
  step.mixed_types = sum.mixed_types();
  step.type = sum.main_type();
  if (const auto peak = peaks.of(step.type)) {
    step.peak = *peak * static_cast<double>(step.devices);
  } else {
    step.no_peak_because = WhyNoPeak(peaks, step.type);
  }
  if (operations.busy > Ps()) step.unknown_share = sum.unknown.seconds() / operations.busy.seconds();
  // Devices work side by side: a sum over devices and steps, per step.
  const auto devices = static_cast<double>(step.devices);
  const double steps = operations.device_steps > 0 && step.devices > 0
                           ? static_cast<double>(operations.device_steps) / devices
                           : 1;
  const double seconds = step.devices > 0 ? operations.window.seconds() / devices / steps : 0;
  step.flops = sum.flops / steps;
  step.model_flops = sum.model_flops / steps;
  step.bytes = sum.bytes / steps;
  if (operations.device_steps > 0) step.seconds = seconds;
  if (seconds <= 0 || !step.flops_known) return step;
  step.flops_per_second = step.flops / seconds;
  if (!step.peak) return step;
  const WeightedFlops weighted = WeightFlops(operations, roofs, peaks, *step.peak / devices);
  step.hfu = weighted.all / steps / seconds / *step.peak;
  step.mfu = weighted.model / steps / seconds / *step.peak;
  return step;
}

}  // namespace gait::analyze

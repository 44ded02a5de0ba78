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

StepWork FindStepWork(const RunView& view, const Operations& operations, const std::vector<OpRoof>& roofs,
                      const Peaks& peaks) {
  StepWork step;
  step.devices = view.working_devices();
  std::array<double, kMathTypes> by_type{};
  Ps unknown;
  for (size_t i = 0; i < roofs.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    step.bytes += total.bytes.value_or(0);
    if (!total.flops) {
      if (total.what.category == Category::kOtherPrograms) continue;
      unknown += roofs[i].work.unknown_self;
      if (step.unknown_because.empty()) step.unknown_because = roofs[i].work.unknown_because;
      continue;
    }
    step.flops_known = true;
    step.flops += *total.flops;
    if (total.what.scope.pass != Pass::kRematerialised) step.model_flops += *total.flops;
    if (IsMatrix(roofs[i].type)) by_type[static_cast<size_t>(roofs[i].type)] += *total.flops;
  }
  const auto most = std::ranges::max_element(by_type);
  double products = 0;
  for (const double flops : by_type) products += flops;
  step.mixed_types = products - *most > products / 100;
  step.type = *most > 0 ? static_cast<MathType>(most - by_type.begin()) : MathType::kVector;
  if (const auto peak = peaks.of(step.type)) {
    step.peak = *peak * static_cast<double>(step.devices);
  } else if (step.type == MathType::kVector && peaks.of(MathType::kF16)) {
    step.no_peak_because = "there is no matrix product, and the peak of the vector units is not published";
  } else if (peaks.of(MathType::kF16)) {
    step.no_peak_because = fmt::format("{} has no published peak for {}", peaks.device, Name(step.type));
  } else {
    step.no_peak_because = fmt::format("the devices' peak is {}", peaks.from);
  }
  if (operations.busy > Ps()) step.unknown_share = unknown.seconds() / operations.busy.seconds();
  // Devices work side by side: a sum over devices and steps, per step.
  const double steps = operations.device_steps > 0 && step.devices > 0
                           ? static_cast<double>(operations.device_steps) / static_cast<double>(step.devices)
                           : 1;
  const double seconds =
      step.devices > 0 ? operations.window.seconds() / static_cast<double>(step.devices) / steps : 0;
  step.flops /= steps;
  step.model_flops /= steps;
  step.bytes /= steps;
  if (operations.device_steps > 0) step.seconds = seconds;
  if (seconds <= 0 || !step.flops_known) return step;
  step.flops_per_second = step.flops / seconds;
  if (!step.peak) return step;
  // A product of a slower type takes more of the device than its flops say.
  double all = 0;
  double model = 0;
  for (size_t i = 0; i < roofs.size(); ++i) {
    const OpTotal& total = operations.totals[i];
    if (!total.flops) continue;
    const double own = IsMatrix(roofs[i].type) ? peaks.of(roofs[i].type).value_or(0) : 0;
    const double weight = own > 0 ? *step.peak / static_cast<double>(step.devices) / own : 1;
    all += *total.flops * weight;
    if (total.what.scope.pass != Pass::kRematerialised) model += *total.flops * weight;
  }
  step.hfu = all / steps / seconds / *step.peak;
  step.mfu = model / steps / seconds / *step.peak;
  return step;
}

}  // namespace gait::analyze

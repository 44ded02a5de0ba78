#include "gait/analyze/verdict/check/metrics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

constexpr const char* kNoDevice = "no device did anything";
constexpr const char* kNoSteps = "the capture has no steps";
constexpr const char* kUnread = "the file of a host could not be read";

std::optional<double> Time(std::optional<Ps> time) {
  return time ? std::optional(static_cast<double>(time->value())) : std::nullopt;
}

class List {
 public:
  explicit List(const Patient& patient, const Diagnosis& diagnosis)
      : patient_(patient), diagnosis_(diagnosis) {}

  std::vector<Metric> Make() && {
    AddSteps();
    AddShares();
    AddBalance();
    AddMemory();
    AddCompilation();
    AddCounts();
    AddFindings();
    return std::move(metrics_);
  }

 private:
  void Add(std::string_view name, MetricUnit unit, std::optional<double> value, std::string why,
           std::string_view about) {
    metrics_.push_back(
        {std::string(name), unit, value, value ? std::string() : std::move(why), std::string(about)});
  }
  // What is counted up: where a part of the capture is missing it is too low, and a limit would pass unseen.
  void AddSum(std::string_view name, MetricUnit unit, std::optional<double> value, const char* why,
              std::string_view about) {
    const bool cut = patient_.is_cut_short();
    if (cut || !patient_.view->run->losses.empty()) {
      value.reset();
      why = cut ? kCutShort : kUnread;
    }
    Add(name, unit, value, why, about);
  }
  double PerStep(double sum) const { return sum / static_cast<double>(patient_.ledger.steps()); }

  void AddSteps() {
    const auto& steps = patient_.overview.steps;
    const auto of = [&](auto f) { return steps ? Time(f(*steps)) : std::nullopt; };
    Add("step_time", MetricUnit::kTime,
        patient_.has_steps() ? Time(patient_.ledger.captured_step()) : std::nullopt, kNoSteps,
        "mean time of a step");
    Add("step_time_median", MetricUnit::kTime, of([](const StepStatistics& s) { return s.median(); }),
        kNoSteps, "median time of a step");
    Add("step_time_p99", MetricUnit::kTime, of([](const StepStatistics& s) { return s.at(0.99); }), kNoSteps,
        "99 % of the steps are no longer");
    Add("step_time_max", MetricUnit::kTime, of([](const StepStatistics& s) { return s.sorted.back(); }),
        kNoSteps, "the longest step");
    Add("steps", MetricUnit::kCount,
        steps ? std::optional(static_cast<double>(steps->sorted.size())) : std::optional(0.0), "",
        "complete steps");
  }

  void AddShares() {
    const Partition& total = patient_.overview.total;
    const auto share = [&](Ps part) {
      return total.window > Ps() ? std::optional(100 * ShareOf(part, total.window)) : std::nullopt;
    };
    Add("device_busy", MetricUnit::kPercent, share(total.busy()), kNoDevice, "of the time of the steps");
    Add("idle", MetricUnit::kPercent, share(total.idle), kNoDevice, "of the time of the steps");
    Add("exposed_comm", MetricUnit::kPercent, share(total.exposed_communication), kNoDevice,
        "communication that nothing hides");
    Add("exposed_copies", MetricUnit::kPercent, share(total.exposed_copies), kNoDevice,
        "copies that nothing hides");
    Add("input_wait", MetricUnit::kPercent, share(patient_.overview.idle[Index(IdleCause::kInput)]),
        kNoDevice, "idle while the host was busy with input");
    Add("staging_wait", MetricUnit::kPercent, share(patient_.overview.idle[Index(IdleCause::kStaging)]),
        kNoDevice, "idle while the host prepared copies to the device");
    Add("host_wait", MetricUnit::kPercent, share(patient_.overview.idle[Index(IdleCause::kDispatch)]),
        kNoDevice, "idle while the host ran Python and dispatch code");
    const StepWork& work = patient_.overview.work;
    const auto percent = [](std::optional<double> value) {
      return value ? std::optional(100 * *value) : std::nullopt;
    };
    Add("mfu", MetricUnit::kPercent, percent(work.mfu), "the devices' peak or the flops are not known",
        "model flops utilisation");
    Add("hfu", MetricUnit::kPercent, percent(work.hfu), "the devices' peak or the flops are not known",
        "hardware flops utilisation");
  }

  void AddBalance() {
    const Balance& balance = diagnosis_.balance;
    for (size_t i = 0; i < kBalanceTerms; ++i) {
      const auto term = static_cast<BalanceTerm>(i);
      Add(fmt::format("balance_{}", Name(term)), MetricUnit::kPercent,
          balance.total > Ps() ? std::optional(100 * balance.share(term)) : std::nullopt, kNoDevice,
          fmt::format("of a step: {}", Describe(term)));
    }
  }

  void AddMemory() {
    const Allocator* worst = WorstAllocator(patient_.overview.memory);
    const char* why = "the capture holds no allocator events";
    AddSum("peak_memory", MetricUnit::kBytes,
           worst ? std::optional(static_cast<double>(worst->peak)) : std::nullopt, why,
           "of the device with the highest peak");
    const bool limited = worst != nullptr && worst->limit && *worst->limit > 0;
    AddSum("peak_memory_share", MetricUnit::kPercent,
           limited
               ? std::optional(100 * static_cast<double>(worst->peak) / static_cast<double>(*worst->limit))
               : std::nullopt,
           why, "of what its allocator may use");
  }

  void AddCompilation() {
    const CompileTotals most = MostOfAnyHost(patient_.overview.compiles);
    AddSum("compile_time", MetricUnit::kTime, Time(most.wall), "", "time of compiling, most of any host");
    AddSum("compiles", MetricUnit::kCount, static_cast<double>(most.compiled), "",
           "programs compiled, most of any host");
    AddSum("compiles_after_warmup", MetricUnit::kCount,
           patient_.has_steps() ? std::optional(static_cast<double>(most.in_steps)) : std::nullopt, kNoSteps,
           "compiled while steps ran, most of any host");
  }

  void AddCounts() {
    const KernelsResult& kernels = patient_.kernels;
    const bool gpu = patient_.has_gpu();
    const char* why = "the capture holds no GPU";
    AddSum("kernels", MetricUnit::kCount,
           gpu ? std::optional(PerStep(static_cast<double>(kernels.count))) : std::nullopt, why, "of a step");
    AddSum("launches", MetricUnit::kCount,
           gpu ? std::optional(PerStep(static_cast<double>(kernels.launches.calls))) : std::nullopt, why,
           "of a step");
    const TransfersResult& transfers = *patient_.overview.transfers;
    const auto bytes = [&](CopyKind kind) -> std::optional<double> {
      if (!patient_.has_devices()) return std::nullopt;
      double sum = 0;
      for (const TransferKind& t : transfers.kinds)
        sum += t.kind == kind ? static_cast<double>(t.sum.bytes) : 0;
      return PerStep(sum);
    };
    AddSum("bytes_to_device", MetricUnit::kBytes, bytes(CopyKind::kHostToDevice), kNoDevice, "of a step");
    AddSum("bytes_to_host", MetricUnit::kBytes, bytes(CopyKind::kDeviceToHost), kNoDevice, "of a step");
  }

  void AddFindings() {
    const auto from = [&](Severity severity) {
      return static_cast<double>(std::ranges::count_if(
          diagnosis_.findings, [&](const Finding& f) { return f.severity >= severity; }));
    };
    Add("findings", MetricUnit::kCount, from(Severity::kLow), "", "of gait doctor, from low on");
    Add("findings_warning", MetricUnit::kCount, from(Severity::kWarning), "",
        "of gait doctor, from warning on");
    Add("findings_high", MetricUnit::kCount, from(Severity::kHigh), "", "of gait doctor");
  }

  const Patient& patient_;
  const Diagnosis& diagnosis_;
  std::vector<Metric> metrics_;
};

}  // namespace

std::vector<Metric> MetricsOf(const Patient& patient, const Diagnosis& diagnosis) {
  return List(patient, diagnosis).Make();
}

std::string MetricText(MetricUnit unit, double value) {
  switch (unit) {
    case MetricUnit::kTime:
      return report::TimeText(Ps(static_cast<int64_t>(value)));
    case MetricUnit::kPercent:
      return fmt::format("{:.3g} %", value);
    case MetricUnit::kBytes:
      return report::BytesText(static_cast<uint64_t>(std::max(0.0, value)));
    case MetricUnit::kCount:
      break;
  }
  return fmt::format("{:.6g}", value);
}

}  // namespace gait::analyze

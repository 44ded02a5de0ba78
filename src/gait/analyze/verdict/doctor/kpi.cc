#include "gait/analyze/verdict/doctor/kpi.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"
#include "gait/analyze/run/tables.h"
#include "gait/analyze/verdict/doctor/gap_reason.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

struct Kpi {
  std::string_view name;
  std::optional<double> value;
  std::string_view unit;
  double good;
  double bad;
  std::string_view unknown_because;
};

std::optional<double> HostOverhead(const Patient& patient) {
  if (patient.overview.total.window == Ps()) return std::nullopt;
  const Claims claims = patient.ClaimIdle([](const IdleSlice& p) {
    return IsHostLate(p.cause) || p.cause == IdleCause::kLaunch || p.cause == IdleCause::kGraphLaunch;
  });
  return 100 * ShareOf(patient.ledger.Cost(claims), patient.ledger.step());
}

// Bytes moved by operations that memory bounds, over what their time would allow.
std::optional<double> MemoryBandwidth(const Patient& patient) {
  if (!patient.peaks.bytes_per_second) return std::nullopt;
  double bytes = 0;
  double seconds = 0;
  for (const OpRoof& roof : patient.overview.roofs) {
    if (roof.work.bound() != Bound::kMemory || !roof.work.bytes_known) continue;
    bytes += roof.work.bytes;
    seconds += static_cast<double>(roof.work.judged_self.value()) * 1e-12;
  }
  if (seconds <= 0) return std::nullopt;
  return std::min(100.0, 100 * bytes / seconds / *patient.peaks.bytes_per_second);
}

std::optional<double> PeakMemory(const Patient& patient) {
  std::optional<double> worst;
  for (const HostMemory& host : patient.overview.memory) {
    const Allocator* allocator = host.worst();
    if (allocator == nullptr || !allocator->limit || *allocator->limit <= 0) continue;
    worst = std::max(worst.value_or(0),
                     100 * static_cast<double>(allocator->peak) / static_cast<double>(*allocator->limit));
  }
  return worst;
}

std::optional<double> MeanOccupancy(const Patient& patient) {
  double weighted = 0;
  double weight = 0;
  for (const Kernel& kernel : patient.kernels.kernels) {
    if (!kernel.occupancy) continue;
    weighted += *kernel.occupancy * static_cast<double>(kernel.total.value());
    weight += static_cast<double>(kernel.total.value());
  }
  return weight > 0 ? std::optional(weighted / weight) : std::nullopt;
}

std::vector<Kpi> KpisOf(const Patient& patient) {
  const Partition& total = patient.overview.total;
  const bool covered = total.window > Ps();
  const std::optional<double> compile =
      patient.is_cut_short()
          ? std::nullopt
          : std::optional(MostOfAnyHost(patient.overview.compiles).wall.milliseconds() / 1000);
  const std::optional<double> kernel =
      patient.kernels.count > 0
          ? std::optional(patient.kernels.total.milliseconds() / static_cast<double>(patient.kernels.count))
          : std::nullopt;
  return {
      {"device utilisation",
       covered ? std::optional(100 * ShareOf(total.busy(), total.window)) : std::nullopt, "%", 80, 50,
       "no device did anything"},
      {"kernel duration", kernel, "ms", 1, 0.1, "no GPU kernels in the capture"},
      {"host overhead", HostOverhead(patient), "%", 10, 20, "no device did anything"},
      {"memory bandwidth", MemoryBandwidth(patient), "%", 60, 40,
       "no memory-bound operation with known bytes, or the device's bandwidth is not known"},
      {"compilation time", compile, "s", 2, 10, kCutShort},
      {"idle", covered ? std::optional(100 * ShareOf(total.idle, total.window)) : std::nullopt, "%", 10, 50,
       "no device did anything"},
      {"peak memory", PeakMemory(patient), "%", 80, 90, "no allocator events with a limit"},
      {"occupancy", MeanOccupancy(patient), "%", 50, 25,
       "the capture does not say how kernels were launched"},
  };
}

std::string Limit(double limit, std::string_view unit_name, bool above) {
  return fmt::format("{} {:g} {}", above ? ">" : "<", limit, unit_name);
}

}  // namespace

std::string_view Name(Level level) {
  constexpr std::array<std::string_view, 3> kNames = {"good", "warning", "bad"};
  return kNames[static_cast<size_t>(level)];
}

Level LevelOf(double value, double good, double bad) {
  if (good > bad) return value > good ? Level::kGood : value < bad ? Level::kBad : Level::kWarning;
  return value < good ? Level::kGood : value > bad ? Level::kBad : Level::kWarning;
}

report::Document KpiDocument(const Patient& patient, Level* worst) {
  report::Document document = NewDocument("doctor", *patient.view->run);
  const auto level = [](const Kpi& kpi) { return LevelOf(*kpi.value, kpi.good, kpi.bad); };
  TableOf<Kpi> t({.name = "kpi"});
  t.Add("metric", {.head = "key figure"}, "what is measured", &Kpi::name);
  t.Add("value", "in the row's unit", [](const Kpi& kpi) -> NumberCell {
    if (!kpi.value) return Unknown{std::string(kpi.unknown_because)};
    return NumberCell(*kpi.value).ShownAs(fmt::format("{:.3g} {}", *kpi.value, kpi.unit));
  });
  t.Hidden("unit", "of the value and the limits", &Kpi::unit);
  t.Add("level", "good, warning or bad", [&](const Kpi& kpi) -> TextCell {
    if (!kpi.value) return Unknown{std::string(kpi.unknown_because)};
    return Name(level(kpi));
  });
  t.Add("good", "the limit for good", [](const Kpi& kpi) {
    return NumberCell(kpi.good).ShownAs(Limit(kpi.good, kpi.unit, kpi.good > kpi.bad));
  });
  t.Add("bad", "the limit for bad", [](const Kpi& kpi) {
    return NumberCell(kpi.bad).ShownAs(Limit(kpi.bad, kpi.unit, kpi.good <= kpi.bad));
  });
  const auto kpis = KpisOf(patient);
  const auto count = [&](Level wanted) {
    return static_cast<size_t>(
        std::ranges::count_if(kpis, [&](const Kpi& kpi) { return kpi.value && level(kpi) == wanted; }));
  };
  const size_t bad = count(Level::kBad);
  const size_t warning = count(Level::kWarning);
  if (worst != nullptr) *worst = bad > 0 ? Level::kBad : warning > 0 ? Level::kWarning : Level::kGood;
  document.answer = bad + warning == 0
                        ? "All key figures are good."
                        : fmt::format("{} bad, {} to watch.", report::Plural(bad, "key figure"), warning);
  document.tables.push_back(t.Of(kpis));
  document.notes = {
      "general limits from the guides; a healthy program may miss one (short kernels of a small model)"};
  document.next = {Command("doctor", *patient.view->run)};
  return document;
}

}  // namespace gait::analyze

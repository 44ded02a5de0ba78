#include "gait/analyze/verdict/scaling/scaling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/collectives/collectives.h"
#include "gait/analyze/operations/operations.h"
#include "gait/analyze/question/compile/compile.h"
#include "gait/analyze/run/describe.h"
#include "gait/analyze/steps/step_statistics.h"
#include "gait/analyze/view/block_sample.h"
#include "gait/analyze/view/window_parts.h"

namespace gait::analyze {
namespace {

// part * numerator / denominator so that partial sums, not parts, are rounded.
ScalingParts Share(const ScalingParts& parts, int64_t numerator, int64_t denominator) {
  ScalingParts shares{};
  Int128 before = 0;
  Int128 sum = 0;
  for (size_t p = 0; p < kScalingParts; ++p) {
    sum += static_cast<Int128>(parts[p].value()) * numerator;
    const Int128 until = sum / denominator;
    shares[p] = Ps(static_cast<int64_t>(until - before));
    before = until;
  }
  return shares;
}

void AddKinds(const CollectivesResult& collectives, const RunView& view, ScalingRun& run) {
  std::map<CollectiveKind, Ps> waited;
  Ps all;
  for (const CollectiveStats& one : collectives.collectives) {
    for (const Ps on_device : one.waited) {
      waited[collectives.found.operations[one.operation].kind] += on_device;
      all += on_device;
    }
  }
  // What the run waited, in the shares of the kinds: partial sums are rounded.
  const Int128 part = run.parts[static_cast<size_t>(ScalingPart::kWait)].value();
  const auto share = [&](Ps until) {
    return Ps(static_cast<int64_t>(part * until.value() / std::max<int64_t>(1, all.value())));
  };
  const int64_t of_device = std::max<int64_t>(1, view.portions() / std::max<int64_t>(1, run.devices));
  Ps until;
  for (const CollectiveKindStats& kind : collectives.kinds) {
    const Ps before = until;
    until += waited[kind.kind];
    run.collectives += kind.executions;
    run.kinds.push_back({std::string(Name(kind.kind)), kind.exposed / view.portions(),
                         share(until) - share(before), kind.wait.value_or(Ps()) / of_device});
  }
}

// Each step once: the mean over the hosts that have it.
void AddNoise(const RunView& view, ScalingRun& run) {
  const auto first = std::ranges::find_if(view.hosts, [](const HostView& h) { return h.steps > 0; });
  if (first == view.hosts.end() || first->series.empty()) return;
  std::map<int64_t, std::pair<Ps, int64_t>> sums;
  std::map<int64_t, bool> warm;
  for (const StepSeries* series : OnAllHosts(view, first->series[0])) {
    for (const Step* step : series->Counted()) {
      auto& [sum, hosts] = sums[step->number];
      sum += step->duration();
      ++hosts;
      warm.try_emplace(step->number, true).first->second &= !step->compiles;
    }
  }
  std::vector<Ps> all;
  std::vector<Ps> of_warm;
  Ps sum_of_warm;
  for (const auto& [number, sum] : sums) {
    all.push_back(sum.first / sum.second);
    if (!warm[number]) continue;
    of_warm.push_back(all.back());
    sum_of_warm += all.back();
  }
  run.noise = NoiseOf(all);
  run.warm = static_cast<int64_t>(of_warm.size());
  run.warm_noise = NoiseOf(of_warm);
  if (run.warm > 0) run.warm_step = sum_of_warm / run.warm;
}

// The largest sample of the counter that gait's captures have of each GPU.
int64_t OtherProcesses(const Trace& trace) {
  constexpr std::string_view kCounter = "other_processes";
  double most = 0;
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kCounters) continue;
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (trace.name(event) != kCounter) continue;
      if (const auto value = trace.FindArg(event, kCounter))
        most = std::max(most, value->number().value_or(0));
    }
  }
  return static_cast<int64_t>(most);
}

}  // namespace

std::optional<Ps> NoiseOf(const std::vector<Ps>& steps) {
  if (steps.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(steps.size());
  double mean = 0;
  for (const Ps step : steps) mean += static_cast<double>(step.value()) / count;
  double squares = 0;
  for (const Ps step : steps) squares += std::pow(static_cast<double>(step.value()) - mean, 2);
  return Ps(std::llround(2 * std::sqrt(squares / (count - 1) / count)));
}

std::string ScalingRun::NotIsolatedBecause() const {
  if (asked > 0 && devices != asked) {
    return fmt::format("started with {} device{}, but {} took part", asked, asked == 1 ? "" : "s", devices);
  }
  if (idle_devices > 0)
    return fmt::format("{} device{} did nothing", idle_devices, idle_devices == 1 ? "" : "s");
  if (devices > 1 && collectives == 0)
    return fmt::format("{} devices, but no collective ran: they did not work together", devices);
  if (largest_group > devices) {
    return fmt::format("a collective of {} devices, but {} {} in the capture", largest_group, devices,
                       devices == 1 ? "is" : "are");
  }
  if (other_processes > 0) {
    return fmt::format("{} other process{} computed on a device of the run", other_processes,
                       other_processes == 1 ? "" : "es");
  }
  return {};
}

std::string_view Name(ScalingPart part) {
  constexpr std::array<std::string_view, kScalingParts> kNames = {"compute", "communication",
                                                                  "waiting for devices", "copies", "idle"};
  return kNames[static_cast<size_t>(part)];
}

namespace {

WhatRan WhatRanIn(const RunView& view) {
  std::set<std::string> models;
  for (const HostView& host : view.hosts) {
    for (const Device& device : host.devices) {
      models.insert(DeviceModelOrKind(host.trace(), host.trace().plane(device.plane)));
    }
  }
  std::map<std::string, Ps> programs;
  for (const OpTotal& total : FindOperations(view).totals) {
    if (total.what.attributed()) programs[ProgramWithoutNumber(total.what.program->name)] += total.self;
  }
  const auto most = std::ranges::max_element(programs, {}, [](const auto& entry) { return entry.second; });
  return {fmt::format("{}", fmt::join(models, " and ")), most == programs.end() ? "" : most->first};
}

}  // namespace

ScalingRun ScalingRunOf(const RunView& view) {
  ScalingRun run;
  run.name = view.run->typed;
  run.ran = WhatRanIn(view);
  run.devices = view.working_devices();
  run.steps = run.devices > 0 ? (view.device_steps() + run.devices - 1) / run.devices : 0;
  const int64_t steps = view.portions();
  const Partition total = WindowParts(view);
  for (const HostView& host : view.hosts) {
    for (const Device& device : FindDevices(host.trace()))
      run.idle_devices += device.idle_throughout(host.trace()) ? 1 : 0;
    run.other_processes = std::max(run.other_processes, OtherProcesses(host.trace()));
  }
  const CollectivesResult& collectives = AnalyzeCollectives(view);
  const Ps wait = std::min(collectives.waited(), total.exposed_communication);
  ScalingParts sums{};
  sums[static_cast<size_t>(ScalingPart::kCompute)] = total.compute + total.unknown;
  sums[static_cast<size_t>(ScalingPart::kExchange)] = total.exposed_communication - wait;
  sums[static_cast<size_t>(ScalingPart::kWait)] = wait;
  sums[static_cast<size_t>(ScalingPart::kCopies)] = total.exposed_copies;
  sums[static_cast<size_t>(ScalingPart::kIdle)] = total.idle;
  run.parts = Share(sums, 1, steps);
  for (const Ps part : run.parts) run.step += part;
  AddKinds(collectives, view, run);
  for (const CollectiveOperation& operation : collectives.found.operations)
    run.largest_group = std::max(run.largest_group, operation.group_size);
  AddNoise(view, run);
  if (const auto compiles = FindCompilations(view)) run.compiles = MostOfAnyHost(*compiles).in_steps;
  return run;
}

namespace {

// Means of the runs' kinds; their waits sum to the pooled run's part.
std::vector<ScalingCollective> PooledKinds(const std::vector<ScalingRun>& sample, Ps part) {
  std::vector<ScalingCollective> pooled;
  for (const ScalingRun& run : sample) {
    for (const ScalingCollective& kind : run.kinds) {
      auto found = std::ranges::find(pooled, kind.kind, &ScalingCollective::kind);
      if (found == pooled.end()) found = pooled.insert(found, {kind.kind, {}, {}, {}});
      found->exposed += kind.exposed;
      found->wait += kind.wait;
      found->longest_wait += kind.longest_wait;
    }
  }
  Ps all;
  for (const ScalingCollective& kind : pooled) all += kind.wait;
  const auto share = [&](Ps until) {
    return Ps(static_cast<int64_t>(static_cast<Int128>(part.value()) * until.value() /
                                   std::max<int64_t>(1, all.value())));
  };
  const auto count = static_cast<int64_t>(std::max<size_t>(1, sample.size()));
  Ps until;
  for (ScalingCollective& kind : pooled) {
    const Ps before = until;
    until += kind.wait;
    kind = {kind.kind, kind.exposed / count, share(until) - share(before), kind.longest_wait / count};
  }
  return pooled;
}

}  // namespace

ScalingRun Pooled(ScalingRun own, const std::vector<ScalingRun>& sample) {
  std::vector<Ps> steps;
  std::vector<Ps> warm;
  Ps sum_of_warm;
  ScalingParts sums{};
  own.compiles = 0;
  for (const ScalingRun& run : sample) {
    steps.push_back(run.step);
    for (size_t p = 0; p < kScalingParts; ++p) sums[p] += run.parts[p];
    own.compiles += run.compiles;
    own.other_processes = std::max(own.other_processes, run.other_processes);
    if (!run.warm_step) continue;
    warm.push_back(*run.warm_step);
    sum_of_warm += *run.warm_step;
  }
  own.steps = static_cast<int64_t>(steps.size());
  own.parts = Share(sums, 1, std::max<int64_t>(1, own.steps));
  own.step = Ps();
  for (const Ps part : own.parts) own.step += part;
  own.kinds = PooledKinds(sample, own.parts[static_cast<size_t>(ScalingPart::kWait)]);
  own.noise = NoiseOf(steps);
  own.warm = static_cast<int64_t>(warm.size());
  own.warm_noise = NoiseOf(warm);
  own.warm_step = warm.empty() ? std::nullopt : std::optional(sum_of_warm / own.warm);
  return own;
}

Result<std::vector<ScalingRun>> ScalingRunsOf(const std::vector<const RunView*>& views,
                                              std::vector<std::string>& notes) {
  const auto of = [](const RunView& view) -> Result<ScalingRun> {
    ScalingRun run = ScalingRunOf(view);
    if (run.devices == 0)
      return Unreadable(run.name + ": no device did anything in this capture.", "gait doctor says why.");
    return run;
  };
  return OfSamples<ScalingRun>(views, of, Pooled, notes);
}

bool Comparable(const std::vector<ScalingRow>& rows) {
  return std::ranges::all_of(
      rows, [&](const ScalingRow& row) { return (row.run->steps > 0) == (rows[0].run->steps > 0); });
}

std::vector<ScalingRow> Scale(const std::vector<ScalingRun>& runs, ScalingKind kind) {
  std::vector<const ScalingRun*> ordered;
  for (const ScalingRun& run : runs) ordered.push_back(&run);
  std::ranges::stable_sort(ordered, {}, &ScalingRun::devices);
  const ScalingRun& base = *ordered[0];
  const int64_t n1 = std::max<int64_t>(1, base.devices);
  std::vector<ScalingRow> rows;
  for (const ScalingRun* run : ordered) {
    const int64_t n = std::max<int64_t>(1, run->devices);
    const ScalingParts ideal = kind == ScalingKind::kStrong ? Share(base.parts, n1, n) : base.parts;
    ScalingRow row{run, {}, {}};
    for (size_t p = 0; p < kScalingParts; ++p) {
      row.ideal += ideal[p];
      row.parts[p] = run->parts[p] - ideal[p];
    }
    row.loss = run->step - row.ideal;
    if (run->step > Ps()) {
      row.efficiency = static_cast<double>(row.ideal.value()) / static_cast<double>(run->step.value());
      row.speedup = row.efficiency * static_cast<double>(n) / static_cast<double>(n1);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gait::analyze

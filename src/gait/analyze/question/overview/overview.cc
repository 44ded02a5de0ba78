#include "gait/analyze/question/overview/overview.h"

#include <algorithm>
#include <array>
#include <functional>

#include "gait/analyze/device/device_work.h"
#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/question/idle/gaps.h"
#include "gait/analyze/view/recording_cost.h"
#include "gait/analyze/view/window_parts.h"
#include "gait/base/thread_pool.h"

namespace gait::analyze {
namespace {

void AddTime(const RunView& view, Overview& overview) {
  for (const HostView& host : view.hosts) {
    for (size_t d = 0; d < host.devices.size(); ++d) {
      if (view.device_steps() > 0 && host.device_steps[d] == 0) {
        if (host.steps > 0) overview.without_steps.push_back(host.devices[d].name);
        continue;
      }
      const DeviceOverview& device =
          overview.devices.emplace_back(&host, &host.devices[d], WindowParts(host, d), host.device_steps[d]);
      overview.total += device.parts;
    }
    for (const DeviceIdle& device : FindIdle(host).devices) {
      for (size_t cause = 0; cause < kIdleCauses; ++cause) overview.idle[cause] += device.by[cause];
    }
    const bool works = !host.devices.empty() && !host.series.empty() && host.series[0].has_work();
    if (overview.series == nullptr && works) {
      overview.series = host.series.data();
      overview.a_step = host.AStep();
      overview.steps.emplace(OnAllHosts(view, host.series[0]));
    }
  }
  for (const HostView& host : view.hosts) {
    const bool annotated = !host.series.empty() && !host.series[0].steps.empty();
    if (overview.steps || overview.on_host || !annotated) continue;
    // Where devices worked, how long an annotation lasted is no step.
    overview.unknown_steps |= !host.devices.empty();
    if (host.devices.empty()) overview.on_host.emplace(host.series[0]);
  }
  overview.device_steps = view.device_steps();
  overview.of_program = !view.selection.program.empty();
  overview.outside_steps = std::ranges::any_of(view.hosts, &HostView::outside_steps);
}

// Of two differences; none where they disagree.
Ps NearerZero(Ps a, Ps b) {
  if ((a < Ps()) != (b < Ps())) return {};
  return a < Ps() ? std::max(a, b) : std::min(a, b);
}

// The steps around the capture, where they are of the kind that the view shows.
std::optional<runs::UncapturedSteps> SameUncaptured(const RunView& view, const Overview& overview) {
  if (!overview.steps || overview.device_steps == 0) return std::nullopt;
  const std::optional<std::string>& name = view.run->manifest.uncaptured_name;
  // Inferred steps are called after their program.
  if (name && !overview.series->inferred() && *name != overview.series->name) return std::nullopt;
  return view.run->manifest.Uncaptured();
}

// Whether nothing counts but the first step. A selected one was judged beside those that were not.
bool IsAlone(const RunView& view, const StepSeries& series) {
  const Step& first = series.steps.front();
  return std::ranges::all_of(series.Counted(), [&](const Step* step) { return step == &first; }) &&
         (first.begin_unknown() || !view.selection.has_steps());
}

// An estimate below this share of a step is none.
constexpr int64_t kLeastEstimate = 100;

// What recording cost, as far as devices idled because of the host; false: next to nothing.
bool Estimate(const RunView& view, const Overview& overview, ProfilerCost& cost) {
  const std::optional<RecordingCost> recorded = EstimateRecordingCost(view);
  if (!recorded) return false;
  Ps idle;
  for (size_t cause = 0; cause < kIdleCauses; ++cause) {
    if (GrowsWithRecording(static_cast<IdleCause>(cause))) idle += overview.idle[cause];
  }
  idle = idle / overview.device_steps;
  cost.slower = {std::min(idle, recorded->time.low), std::min(idle, recorded->time.high)};
  cost.estimated_from = recorded->Text();
  return cost.slower.high * kLeastEstimate >= cost.captured;
}

std::optional<ProfilerCost> FindProfilerCost(const RunView& view, const Overview& overview) {
  if (!overview.steps || overview.device_steps == 0) return std::nullopt;
  ProfilerCost cost;
  cost.captured = overview.total.window / overview.device_steps;
  Ps slower;
  if (const std::optional<runs::UncapturedSteps> uncaptured = SameUncaptured(view, overview)) {
    if (IsAlone(view, *overview.series)) return std::nullopt;
    slower = overview.steps->median() - uncaptured->median;
    if (uncaptured->mean) slower = NearerZero(slower, cost.captured - *uncaptured->mean);
    cost.slower = {slower, slower};
  } else {
    if (!Estimate(view, overview, cost)) return std::nullopt;
    slower = cost.slower.middle();
  }
  cost.uncaptured = cost.captured - slower;
  if (cost.uncaptured <= Ps()) return std::nullopt;
  cost.factor = static_cast<double>(cost.captured.value()) / static_cast<double>(cost.uncaptured.value());
  cost.idle = overview.total.idle / overview.device_steps;
  cost.idle_without_it = std::max(Ps(), cost.idle - std::max(Ps(), slower));
  return cost;
}

}  // namespace

Result<Overview> MakeOverview(const RunView& view, const PeakOverride& given) {
  Overview overview;
  Peaks peaks;
  const std::array<std::function<void()>, 4> parts = {
      [&] {
        overview.operations = &FindOperations(view);
        peaks = PeaksOfRun(view, given);
        overview.roofs = Roofs(*overview.operations, peaks);
        overview.by_host_scope = &FindOperationsByHostScope(view);
        overview.roofs_by_host_scope = Roofs(*overview.by_host_scope, peaks);
      },
      [&] { AddTime(view, overview); }, [&] { overview.transfers = &FindTransfers(view); },
      [&] {
        (void)FindMemory(view);
        (void)FindCompilations(view);
      }};
  ForEach(parts.size(), DefaultThreads(), [&](size_t i) { parts[i](); });
  GAIT_TRY(overview.memory, FindMemory(view));
  GAIT_TRY(overview.compiles, FindCompilations(view));
  overview.work = FindStepWork(view, *overview.operations, overview.roofs, peaks);
  overview.profiler = FindProfilerCost(view, overview);
  const std::optional<runs::UncapturedSteps> uncaptured = SameUncaptured(view, overview);
  if (uncaptured && IsAlone(view, *overview.series)) overview.uncaptured = uncaptured->median;
  return overview;
}

}  // namespace gait::analyze

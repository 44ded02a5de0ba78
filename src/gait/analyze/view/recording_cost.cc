#include "gait/analyze/view/recording_cost.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gait/analyze/host/host_activity.h"
#include "gait/base/intervals.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Seen on an H200 (JAX 0.11.2, Python 3.12) and on two shared cores (JAX 0.10, Python 3.11), in nanoseconds:
//   Python call   290 to 530    520 to 660
//   driver call   2,400 to 2,700 with CUPTI; graphs and kernels alike
//   other event   140 to 830    100 to 370; least for plain annotations, most for those with arguments
constexpr PsRange kPythonCall{Ps(250'000), Ps(700'000)};
constexpr PsRange kDriverCall{Ps(2'000'000), Ps(3'000'000)};
constexpr PsRange kRuntimeEvent{Ps(100'000), Ps(600'000)};

Ps Times(double count, Ps cost) {
  return Ps(static_cast<int64_t>(count * static_cast<double>(cost.value())));
}

std::optional<RecordingCost> OfHost(const HostView& host) {
  const HostActivity& activity = ActivityOf(host);
  const TrackId thread = activity.python_thread();
  if (host.steps == 0 || !thread.valid()) return std::nullopt;
  // Steps as the loop's thread went through them.
  std::vector<Interval> steps;
  for (const Step* step : host.series[0].Counted()) steps.push_back(step->host_step);
  RecordingCost cost;
  const Track& track = host.trace().track(thread);
  for (const Interval step : Normalize(std::move(steps))) {
    for (size_t i = track.LowerBound(step.begin).value; i < track.size(); ++i) {
      const EventIndex event(i);
      if (track.begin(event) >= step.end) break;
      const EventRef ref{thread, event};
      const bool driver = host.launches.IdOf(track, event).kind == Launches::Id::Kind::kCorrelation;
      ++(activity.kind(ref) == HostKind::kPython ? cost.python : driver ? cost.driver : cost.runtime);
    }
  }
  for (double* count : {&cost.python, &cost.driver, &cost.runtime}) *count /= static_cast<double>(host.steps);
  for (Ps PsRange::* end : {&PsRange::low, &PsRange::high}) {
    cost.time.*end = Times(cost.python, kPythonCall.*end) + Times(cost.driver, kDriverCall.*end) +
                     Times(cost.runtime, kRuntimeEvent.*end);
  }
  return cost;
}

}  // namespace

std::string RecordingCost::Text() const {
  std::vector<std::string> parts;
  const auto add = [&](double count, const char* what) {
    if (count >= 0.5) parts.push_back(report::Plural(static_cast<uint64_t>(std::llround(count)), what));
  };
  add(python, "Python call");
  add(driver, "driver call");
  add(runtime, parts.empty() ? "event" : "other event");
  return fmt::format("{} a step", fmt::join(parts, ", "));
}

std::optional<RecordingCost> EstimateRecordingCost(const RunView& view) {
  std::optional<RecordingCost> most;
  for (const HostView& host : view.hosts) {
    const std::optional<RecordingCost> cost = OfHost(host);
    if (cost && (!most || cost->time.high > most->time.high)) most = cost;
  }
  return most;
}

}  // namespace gait::analyze

#include "gait/html_report/step_window.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <vector>

namespace gait::html_report {
namespace {

constexpr size_t kSteps = 3;

// The time of a step over its devices; of one without device work, on the host.
Interval TimeOf(const analyze::Step& step) {
  Interval all;
  for (const Interval& time : step.time) {
    if (time.empty()) continue;
    all = all.empty() ? time : Interval{std::min(all.begin, time.begin), std::max(all.end, time.end)};
  }
  return all.empty() ? step.host : all;
}

std::optional<size_t> StepAt(const std::vector<const analyze::Step*>& steps, Ps time) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Interval step = TimeOf(*steps[i]);
    if (step.begin <= time && time < step.end) return i;
  }
  return std::nullopt;
}

size_t TypicalStep(const std::vector<const analyze::Step*>& steps) {
  std::vector<Ps> durations;
  for (const analyze::Step* step : steps) durations.push_back(step->duration());
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::ranges::nth_element(durations, middle);
  const Ps median = *middle;
  const auto nearest = std::ranges::min_element(
      steps, {}, [&](const analyze::Step* step) { return std::abs((step->duration() - median).value()); });
  return static_cast<size_t>(nearest - steps.begin());
}

size_t Chosen(const std::vector<const analyze::Step*>& steps, const analyze::Diagnosis& diagnosis,
              const std::string& host) {
  for (const analyze::Finding& finding : diagnosis.findings) {
    for (const analyze::Evidence& evidence : finding.evidence) {
      if (!evidence.time || evidence.host != host) continue;
      if (const auto found = StepAt(steps, evidence.time->begin)) return *found;
    }
  }
  return TypicalStep(steps);
}

}  // namespace

Interval StepWindow(const analyze::RunView& view, const analyze::Diagnosis& diagnosis,
                    const timeline::Timeline& timeline) {
  const analyze::HostView& host = view.hosts.front();
  if (host.series.empty()) return timeline.span;
  const std::vector<const analyze::Step*> steps = host.series.front().Counted();
  if (steps.empty()) return timeline.span;
  const size_t count = std::min(kSteps, steps.size());
  const size_t chosen = Chosen(steps, diagnosis, host.host->name);
  const size_t first = std::min(chosen - std::min<size_t>(chosen, 1), steps.size() - count);
  Interval window = TimeOf(*steps[first]);
  for (size_t i = first; i < first + count; ++i) {
    const Interval step = TimeOf(*steps[i]);
    window = {std::min(window.begin, step.begin), std::max(window.end, step.end)};
  }
  return window;
}

}  // namespace gait::html_report

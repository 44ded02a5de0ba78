// What the numbers of a view cover, in words.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/time/durations.h"
#include "gait/analyze/view/run_view.h"
#include "gait/report/numbers.h"

namespace gait::analyze {
namespace {

// Notes of all hosts: those of one run mostly say the same.
std::vector<std::string> Once(std::vector<std::string> notes) {
  std::ranges::sort(notes);
  const auto repeated = std::ranges::unique(notes);
  notes.erase(repeated.begin(), repeated.end());
  std::erase(notes, "");
  return notes;
}

// Whether it is less than a hundredth of what the numbers cover.
bool IsLittle(Ps time, const HostView& view) {
  Ps covered;
  for (const IntervalSet& window : view.windows) covered += TotalLength(window);
  return time * 100 <= covered;
}

report::Link SeriesLink(const std::string& series) { return report::Link::Option("series", series); }

}  // namespace

std::string HostView::NotWholeNote() const {
  if (series.empty()) return "";
  const std::vector<const Step*> counted = series[0].Counted();
  std::string left_out_steps;
  for (const Step& step : series[0].steps) {
    if (!step.has_work() || std::ranges::find(counted, &step) != counted.end()) continue;
    left_out_steps += fmt::format("{}{}", left_out_steps.empty() ? "" : ", ", step.number);
  }
  if (left_out_steps.empty()) return "";
  return fmt::format("without step {}, not whole in the capture: it counts only when chosen alone",
                     left_out_steps);
}

std::string HostView::OutsideNote() const {
  if (series.empty()) return "";
  Ps worked;
  Ps passed;
  for (const Ps time : series[0].outside) worked = SaturatedSum(worked, time);
  for (const Ps time : series[0].left_out) passed = SaturatedSum(passed, time);
  if (IsLittle(std::max(worked, passed), *this)) return "";
  const auto count = static_cast<int64_t>(std::max<size_t>(1, devices.size()));
  return fmt::format(
      "without {} of work that was launched between or after the steps{}{}", report::TimeText(worked / count),
      passed >= worked * 2 ? fmt::format("; with the idle time in it, {}", report::TimeText(passed / count))
                           : "",
      count > 1 ? ", on a device in the mean" : "");
}

std::string HostView::OthersNote() const {
  if (series.empty() || IsLittle(series[0].of_others, *this)) return "";
  return fmt::format(
      "counts what ran meanwhile, also {} of work that other threads launched: annotate the steps",
      report::TimeText(series[0].of_others));
}

std::vector<std::string> RunView::LeftOutNotes() const {
  std::vector<std::string> notes;
  // Hosts of one run run the same loop, if not for the same time: the longest speaks for all.
  std::map<std::string, HostView::LeftOut> longest;
  for (const HostView& host : hosts) {
    for (const HostView::LeftOut& left : host.left_out) {
      const auto [at, fresh] = longest.try_emplace(left.series, left);
      if (!fresh && left.time > at->second.time) at->second = left;
    }
  }
  for (const auto& [series, left] : longest) {
    const std::string whose = fmt::format("{} of {}", report::Plural(left.steps, "step"), series);
    const std::string counts = left.meanwhile
                                   ? fmt::format("counts what ran meanwhile, also of {}", whose)
                                   : fmt::format("without {}, {} in all", whose, report::TimeText(left.time));
    notes.push_back(fmt::format("{}: {} shows them", counts, SeriesLink(series).text));
  }
  return Once(std::move(notes));
}

std::vector<report::Link> RunView::SeriesLinks() const {
  std::set<std::string> names;
  for (const HostView& host : hosts) {
    for (const HostView::LeftOut& left : host.left_out) names.insert(left.series);
  }
  std::vector<report::Link> links;
  for (const std::string& name : names) links.push_back(SeriesLink(name));
  return links;
}

std::vector<std::string> RunView::CoverageNotes() const {
  std::vector<std::string> notes = LeftOutNotes();
  for (const HostView& host : hosts) {
    if (device_steps() > 0 && host.steps == 0 && !host.devices.empty() && selection.program.empty())
      notes.push_back(fmt::format("without {}, whose capture shows no steps", host.host->name));
    if (selection.program.empty()) {
      notes.push_back(host.OutsideNote());
      notes.push_back(host.OthersNote());
    }
    if (selection.has_steps()) notes.push_back(host.NotWholeNote());
    if (host.outside_steps) {
      notes.push_back(fmt::format("{} ran outside of the steps: all of its work counts", selection.program));
    }
  }
  return Once(std::move(notes));
}

}  // namespace gait::analyze

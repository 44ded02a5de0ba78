#include "gait/analyze/steps/step_marks.h"

#include <algorithm>
#include <span>
#include <utility>

namespace gait::analyze {
namespace {

using MarksByName = std::map<std::string, std::vector<StepMark>>;

// Calls f(track, event) for each event of a host thread whose argument set has it.
template <typename F>
void ForEachWith(const Trace& trace, StringId key, F f) {
  const std::vector<bool> has = ArgSetsWith(trace, key);
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread || track.info().derived) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      if (has[track.args(EventIndex(i)).value]) f(TrackId(t), EventIndex(i));
    }
  }
}

// `annotated` are the times of all annotations, `names` theirs.
MarksByName FindBlocks(const Trace& trace, const IntervalSet& annotated, const MarksByName& names) {
  MarksByName blocks;
  const StringId key = BlockArgument(trace);
  if (!key.valid()) return blocks;
  ForEachWith(trace, key, [&](TrackId thread, EventIndex event) {
    const Track& track = trace.track(thread);
    const std::optional<int64_t> number = trace.Integer({thread, event}, trace.text(key));
    const std::string name(trace.text(track.name(event)));
    const Interval time = track.interval(event);
    if (!number || names.contains(name) || !Intersect(std::span(&time, 1), annotated).empty()) return;
    blocks[name].push_back(
        {.number = *number, .host = time, .thread = thread, .partial = false, .block = true});
  });
  return blocks;
}

}  // namespace

std::map<std::string, std::vector<StepMark>> FindStepMarks(const Trace& trace, uint64_t* unnumbered) {
  MarksByName marks;
  std::vector<Interval> annotated;
  const std::optional<StringId> key = StepArgument(trace);
  const bool numbered = key && trace.text(*key) == "step_num";
  if (key) {
    ForEachWith(trace, *key, [&](TrackId thread, EventIndex event) {
      const Track& track = trace.track(thread);
      const std::optional<int64_t> number = trace.Integer({thread, event}, trace.text(*key));
      if (number) {
        annotated.push_back(track.interval(event));
        marks[std::string(trace.text(track.name(event)))].push_back(
            {.number = *number, .host = track.interval(event), .thread = thread});
      } else if (unnumbered != nullptr) {
        ++*unnumbered;
      }
    });
  }
  for (auto& [name, list] : marks) {
    std::ranges::sort(list, {}, [](const StepMark& m) { return m.host.begin; });
    for (size_t i = 0; i < list.size() && !numbered; ++i) list[i].number = static_cast<int64_t>(i);
  }
  MarksByName blocks = FindBlocks(trace, Normalize(std::move(annotated)), marks);
  for (auto& [name, list] : blocks) {
    std::ranges::sort(list, {}, [](const StepMark& m) { return m.host.begin; });
    marks.emplace(name, std::move(list));
  }
  return marks;
}

std::vector<AnnotatedSteps> FindAnnotatedSteps(const Trace& trace, uint64_t* unnumbered) {
  const std::map<std::string, std::vector<StepMark>> marks = FindStepMarks(trace, unnumbered);
  std::vector<std::pair<Ps, AnnotatedSteps>> found;
  for (const auto& [name, list] : marks) {
    const auto [first, last] = std::ranges::minmax(list, {}, &StepMark::number);
    std::vector<Ps> durations;
    for (const StepMark& mark : list) durations.push_back(mark.host.length());
    const auto middle = durations.begin() + static_cast<ptrdiff_t>(durations.size() / 2);
    std::ranges::nth_element(durations, middle);
    found.push_back({list.front().host.begin,
                     {name, list.size(), first.number, last.number, list.front().block, *middle}});
  }
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<AnnotatedSteps> result;
  for (auto& entry : found) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace gait::analyze

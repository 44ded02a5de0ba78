#include "gait/analyze/steps.h"

#include <algorithm>

namespace gait::analyze {
namespace {

// Which argument sets have it.
std::vector<bool> SetsWith(const Trace& trace, StringId key) {
  std::vector<bool> has(trace.arg_sets().size());
  for (size_t i = 0; i < has.size(); ++i) {
    has[i] =
        std::ranges::any_of(trace.arg_sets()[ArgSetId(i)], [&](const ArgEntry& e) { return e.key == key; });
  }
  return has;
}

}  // namespace

std::optional<StringId> StepArgument(const Trace& trace) {
  for (const char* name : {"step_num", "_r"}) {
    const std::optional<StringId> key = trace.strings().Find(name);
    if (key && std::ranges::count(SetsWith(trace, *key), true) > 0) return key;
  }
  return std::nullopt;
}

std::map<std::string, std::vector<StepMark>> FindStepMarks(const Trace& trace, uint64_t* unnumbered) {
  std::map<std::string, std::vector<StepMark>> marks;
  const std::optional<StringId> key = StepArgument(trace);
  if (!key) return marks;
  const bool numbered = trace.text(*key) == "step_num";
  const std::vector<bool> has_step = SetsWith(trace, *key);
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread || track.info().derived) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!has_step[track.args(event).value]) continue;
      const std::optional<int64_t> number = trace.Integer({TrackId(t), event}, trace.text(*key));
      if (number) {
        marks[std::string(trace.text(track.name(event)))].push_back(
            {*number, track.interval(event), TrackId(t)});
      } else if (unnumbered != nullptr) {
        ++*unnumbered;
      }
    }
  }
  for (auto& [name, list] : marks) {
    std::ranges::sort(list, {}, [](const StepMark& m) { return m.host.begin; });
    for (size_t i = 0; i < list.size() && !numbered; ++i) list[i].number = static_cast<int64_t>(i);
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
    found.push_back({list.front().host.begin, {name, list.size(), first.number, last.number, *middle}});
  }
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<AnnotatedSteps> result;
  for (auto& entry : found) result.push_back(std::move(entry.second));
  return result;
}

}  // namespace gait::analyze

#include "gait/analyze/steps.h"

#include <algorithm>
#include <optional>

namespace gait::analyze {
namespace {

struct Collected {
  StringId name;
  AnnotatedSteps steps;
  std::vector<Ps> durations;
};

void Collect(std::vector<Collected>& all, StringId name, int64_t step, Ps duration, const Trace& trace) {
  auto found = std::find_if(all.begin(), all.end(), [&](const Collected& c) { return c.name == name; });
  if (found == all.end()) {
    all.push_back({name, {std::string(trace.text(name)), 0, step, step, Ps()}, {}});
    found = std::prev(all.end());
  }
  ++found->steps.count;
  found->steps.first = std::min(found->steps.first, step);
  found->steps.last = std::max(found->steps.last, step);
  found->durations.push_back(duration);
}

}  // namespace

std::vector<AnnotatedSteps> FindAnnotatedSteps(const Trace& trace, uint64_t* unnumbered) {
  const std::optional<StringId> key = trace.strings().Find("step_num");
  if (!key) return {};
  std::vector<bool> has_step(trace.arg_sets().size(), false);
  for (size_t i = 0; i < has_step.size(); ++i) {
    const auto entries = trace.arg_sets()[ArgSetId(i)];
    has_step[i] =
        std::any_of(entries.begin(), entries.end(), [&](const ArgEntry& e) { return e.key == *key; });
  }

  std::vector<Collected> all;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread || track.info().derived) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      if (!has_step[track.args(event).value]) continue;
      const std::optional<int64_t> step = trace.Integer({TrackId(t), event}, "step_num");
      if (step) {
        Collect(all, track.name(event), *step, track.duration(event), trace);
      } else if (unnumbered != nullptr) {
        ++*unnumbered;
      }
    }
  }
  std::vector<AnnotatedSteps> result;
  for (Collected& collected : all) {
    const auto middle = collected.durations.begin() + static_cast<ptrdiff_t>(collected.durations.size() / 2);
    std::nth_element(collected.durations.begin(), middle, collected.durations.end());
    collected.steps.median = *middle;
    result.push_back(std::move(collected.steps));
  }
  return result;
}

}  // namespace gait::analyze

#include "gait/analyze/steps/step_flags.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

// A last step with fewer than 9 of 10 of the usual pieces of work is cut; a few may be missing anyway: events
// that the capture lost, a copy that a step makes now and then.
constexpr uint64_t kWholeTenths = 9;

// The first step counts where what it may lack is less than a tenth of it: no more than steps differ anyway.
constexpr int64_t kLittleOfStep = 10;

// Outliers: of 5 steps or more, as fewer have no spread that says something; 5 median deviations away, where
// of a normal distribution hardly any is; and a tenth of the median, below which nobody looks for the reason.
constexpr size_t kFewestForOutliers = 5;
constexpr int64_t kOutlierSpreads = 5;
constexpr int64_t kOutlierOneIn = 10;

Ps Apart(Ps a, Ps b) { return a > b ? a - b : b - a; }

// The steps that a thread, or a device for a thread, worked for.
struct Worked {
  const Step* first = nullptr;
  const Step* last = nullptr;
  std::vector<uint64_t> events{};  // of these steps

  void Add(const Step& step, uint64_t count) {
    if (first == nullptr) first = &step;
    last = &step;
    events.push_back(count);
  }
  bool IsAround(const Step& step) const { return first < &step && &step < last; }
  // In a step that is whole: the first and the last may not be.
  uint64_t Usual() const {
    std::vector<uint64_t> whole = events;
    if (whole.size() > 2) whole = {events.begin() + 1, events.end() - 1};
    std::ranges::sort(whole);
    return whole[whole.size() / 2];
  }
};

// What was worked for which steps, by thread of the steps.
struct WorkedSteps {
  std::map<std::pair<TrackId, size_t>, Worked> on{};  // by device too
  std::map<TrackId, Worked> on_any{};
  // Whether the devices that worked for a thread did so for most of its steps.
  bool for_most = false;

  const Worked* On(const Step& step, size_t device) const {
    const auto found = on.find({step.thread, device});
    return found == on.end() ? nullptr : &found->second;
  }
};

WorkedSteps FindWorked(const std::vector<Step>& steps) {
  WorkedSteps worked;
  for (const Step& step : steps) {
    if (step.has_work()) worked.on_any[step.thread].Add(step, 1);
    for (size_t d = 0; d < step.events.size(); ++d) {
      if (step.events[d] > 0) worked.on[{step.thread, d}].Add(step, step.events[d]);
    }
  }
  uint64_t with = 0;  // steps, times the devices that worked for their thread
  uint64_t without = 0;
  for (const Step& step : steps) {
    for (size_t d = 0; d < step.events.size(); ++d) {
      if (worked.On(step, d) != nullptr) ++(step.events[d] > 0 ? with : without);
    }
  }
  worked.for_most = with >= without;
  return worked;
}

// Whether devices did nothing for a step, though for steps of its thread before and after it.
bool IsIdleBetween(const Step& step, const WorkedSteps& worked) {
  const auto any = worked.on_any.find(step.thread);
  return !step.has_work() && any != worked.on_any.end() && any->second.IsAround(step);
}

bool IsPartial(const Step& step, const WorkedSteps& worked) {
  if (!step.has_work()) return !worked.on.empty() && !IsIdleBetween(step, worked);
  for (size_t d = 0; d < step.events.size(); ++d) {
    const Worked* on = worked.On(step, d);
    if (on == nullptr) continue;
    const bool missing = step.events[d] == 0 && worked.for_most && !on->IsAround(step);
    const bool cut =
        step.events[d] > 0 && &step == on->last && step.events[d] * 10 < on->Usual() * kWholeTenths;
    if (missing || cut) return true;
  }
  return false;
}

Completeness WithBegin(Completeness found, bool known) {
  switch (found) {
    case Completeness::kWhole:
    case Completeness::kBeginUnknown:
      return known ? Completeness::kWhole : Completeness::kBeginUnknown;
    case Completeness::kPartial:
    case Completeness::kPartialAndBeginUnknown:
      return known ? Completeness::kPartial : Completeness::kPartialAndBeginUnknown;
    case Completeness::kNoWork:
      break;
  }
  return found;
}

// On the first device that has a part in the step.
const Interval* Begun(const Step& step) {
  const auto begun = std::ranges::find_if(step.time, [](Interval time) { return !time.empty(); });
  return begun == step.time.end() ? nullptr : &*begun;
}

}  // namespace

std::vector<Completeness> FindCompleteness(const std::vector<StepMark>& marks, const std::vector<Step>& steps,
                                           const StepPeriods& periods) {
  std::vector<Completeness> found;
  const WorkedSteps worked = FindWorked(steps);
  for (size_t s = 0; s < steps.size(); ++s) {
    const bool begin_unknown = std::ranges::any_of(
        periods, [&](const DevicePeriods& device) { return bool{device.begin_unknown[s]}; });
    const bool partial = marks[s].partial || IsPartial(steps[s], worked);
    const Completeness of_work = IsIdleBetween(steps[s], worked) ? Completeness::kNoWork
                                 : partial                       ? Completeness::kPartial
                                                                 : Completeness::kWhole;
    found.push_back(WithBegin(of_work, !begin_unknown));
  }
  return found;
}

std::vector<Completeness> CompletenessOfBlocks(const std::vector<Step>& steps,
                                               const std::vector<UnfinishedLaunch>& unfinished) {
  const bool any_work = std::ranges::any_of(steps, &Step::has_work);
  std::vector<Completeness> found;
  for (const Step& step : steps) {
    const bool cut = std::ranges::any_of(unfinished, [&](const UnfinishedLaunch& launch) {
      return step.host.begin <= launch.begin && launch.begin < step.host.end;
    });
    found.push_back(cut                            ? Completeness::kPartial
                    : any_work && !step.has_work() ? Completeness::kNoWork
                                                   : Completeness::kWhole);
  }
  return found;
}

std::vector<Completeness> WithKnownBegins(const std::vector<Step>& steps, std::vector<Completeness> found) {
  if (steps.empty()) return found;
  // Work that ended before its annotation tells no more of its begin than none.
  if (const Interval* begun = Begun(steps.front());
      begun != nullptr && begun->begin == steps.front().host.begin)
    found.front() = WithBegin(found.front(), false);
  std::vector<Ps> leads;  // between the finish before and the annotation
  for (size_t s = 0; s < steps.size(); ++s) {
    const Interval* begun = Begun(steps[s]);
    if (found[s] != Completeness::kWhole || begun == nullptr) continue;
    leads.push_back(Apart(steps[s].host.begin, begun->begin));
  }
  const Ps lead = Median(std::move(leads));
  for (size_t s = 0; s < steps.size(); ++s) {
    if (lead * kLittleOfStep <= steps[s].duration()) found[s] = WithBegin(found[s], true);
  }
  return found;
}

std::vector<bool> CompilesIn(const std::vector<StepMark>& marks, const std::vector<Interval>& compilations) {
  std::vector<bool> compiles;
  std::map<TrackId, Ps> reached;  // by thread: where the step before ended on the host
  for (const StepMark& mark : marks) {
    const auto [before, first] = reached.try_emplace(mark.thread, mark.host.begin);
    const Interval way = {std::min(mark.host.begin, before->second), mark.host.end};
    compiles.push_back(std::ranges::any_of(compilations, [&](Interval c) { return c.overlaps(way); }));
    before->second = mark.host.end;
  }
  return compiles;
}

std::vector<bool> FindOutliers(const std::vector<Step>& steps) {
  std::vector<Ps> durations;
  for (const Step& step : steps) {
    if (step.complete()) durations.push_back(step.duration());
  }
  const bool enough = durations.size() >= kFewestForOutliers;
  const Ps median = Median(durations);
  for (Ps& duration : durations) duration = Apart(duration, median);
  const Ps spread = Median(std::move(durations));
  std::vector<bool> outliers;
  for (const Step& step : steps) {
    const Ps off = Apart(step.duration(), median);
    outliers.push_back(step.complete() && enough && off > spread * kOutlierSpreads &&
                       off > median / kOutlierOneIn);
  }
  return outliers;
}

}  // namespace gait::analyze

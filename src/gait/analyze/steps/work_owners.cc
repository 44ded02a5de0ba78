#include "gait/analyze/steps/work_owners.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gait/analyze/time/durations.h"
#include "gait/base/huge_pages.h"

namespace gait::analyze {
namespace {

// Work beyond the usual launches of a step is little below a tenth of the work of a step: a metric, no
// checkpoint.
constexpr int64_t kLittleOneIn = 10;

// The lower median; there is at least one.
template <typename T>
T Usual(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

WorkOwners::WorkOwners(const Trace& trace, const std::vector<StepMark>& steps,
                       const std::vector<StepMark>& others)
    : trace_(trace), steps_(steps), lanes_(1), lane_of_(trace.tracks().size()) {
  for (size_t s = 0; s < steps.size(); ++s) {
    const auto step = static_cast<uint32_t>(s);
    lanes_[0].steps.push_back(step);
    if (const size_t lane = LaneOf(steps[s].thread)) lanes_[lane].steps.push_back(step);
  }
  for (const StepMark& other : others) {
    lanes_[0].others.push_back(other.host.begin);
    if (const size_t lane = LaneOf(other.thread)) lanes_[lane].others.push_back(other.host.begin);
  }
  for (Lane& lane : lanes_) std::ranges::sort(lane.others);
}

size_t WorkOwners::LaneOf(TrackId thread) {
  if (!thread.valid()) return 0;
  uint32_t& lane = lane_of_[thread.value];
  if (lane == 0) {
    lane = static_cast<uint32_t>(lanes_.size());
    lanes_.emplace_back();
  }
  return lane;
}

WorkOwner WorkOwners::OwnerOf(const Lane& lane, Ps launch) const {
  if (lane.steps.empty()) return {};
  const auto after =
      std::ranges::upper_bound(lane.steps, launch, {}, [&](uint32_t s) { return steps_[s].host.begin; });
  if (after == lane.steps.begin()) return {0, WorkOwner::Kind::kBefore};
  const uint32_t step = *std::prev(after);
  const auto other = std::ranges::upper_bound(lane.others, launch);
  const bool taken = other != lane.others.begin() && *std::prev(other) >= steps_[step].host.end;
  return {step, taken ? WorkOwner::Kind::kBetween : WorkOwner::Kind::kStep};
}

std::vector<Ps> WorkOwners::EndOfLaunches(const std::vector<WorkItem>& work,
                                          const std::vector<WorkOwner>& owners,
                                          const std::vector<size_t>& first_of_calls) const {
  struct Launched {
    size_t inside = 0;
    std::vector<Ps> outside{};  // when
  };
  std::vector<Launched> launched(steps_.size());
  for (const size_t i : first_of_calls) {
    if (owners[i].kind != WorkOwner::Kind::kStep) continue;
    const uint32_t step = owners[i].step;
    const Ps launch = LaunchOf(work[i]);
    if (launch < steps_[step].host.end || ByAnotherThread(work[i], step)) {
      ++launched[step].inside;
    } else {
      launched[step].outside.push_back(launch);
    }
  }
  struct Counts {
    std::vector<size_t> all{};
    std::vector<size_t> outside{};
  };
  std::map<TrackId, Counts> of_thread;
  for (size_t s = 0; s < steps_.size(); ++s) {
    Counts& counts = of_thread[steps_[s].thread];
    counts.all.push_back(launched[s].inside + launched[s].outside.size());
    counts.outside.push_back(launched[s].outside.size());
  }
  std::map<TrackId, std::pair<size_t, size_t>> usual_of;
  for (auto& [thread, counts] : of_thread) usual_of[thread] = {Usual(counts.all), Usual(counts.outside)};
  std::vector<Ps> ends(steps_.size(), kMaxTime);
  for (size_t s = 0; s < steps_.size(); ++s) {
    auto& [inside, outside] = launched[s];
    const auto [all, most_outside] = usual_of[steps_[s].thread];
    // A block ends where it ends, whatever its thread launches next.
    const size_t own = steps_[s].block ? 0 : std::max(most_outside, all - std::min(all, inside));
    if (outside.size() <= own) continue;
    std::ranges::nth_element(outside, outside.begin() + static_cast<ptrdiff_t>(own));
    ends[s] = outside[own];
  }
  return ends;
}

std::vector<bool> WorkOwners::LittleBehind(const std::vector<WorkItem>& work,
                                           const std::vector<WorkOwner>& owners,
                                           const std::vector<Ps>& ends) const {
  std::vector<Ps> own(steps_.size());
  std::vector<Ps> beyond(steps_.size());
  for (size_t i = 0; i < work.size(); ++i) {
    if (owners[i].kind != WorkOwner::Kind::kStep) continue;
    const uint32_t step = owners[i].step;
    Ps& sum = LaunchOf(work[i]) < ends[step] ? own[step] : beyond[step];
    sum = SaturatedSum(sum, work[i].time.length());
  }
  std::map<TrackId, size_t> last;
  for (size_t s = 0; s < steps_.size(); ++s) last[steps_[s].thread] = s;
  const Ps most = Usual(own) / kLittleOneIn;
  std::vector<bool> little(steps_.size());
  for (size_t s = 0; s < steps_.size(); ++s) little[s] = beyond[s] < most && last[steps_[s].thread] != s;
  return little;
}

std::vector<WorkOwner> WorkOwners::Launched(const std::vector<WorkItem>& work,
                                            std::vector<size_t>& first_of_calls) const {
  std::vector<WorkOwner> owners;
  ReserveHuge(owners, work.size());
  owners.resize(work.size());
  // Work that one call asked for, all kernels of a graph say, belongs to one step.
  EventRef call;
  WorkOwner owner;
  bool any_call = false;
  for (size_t i = 0; i < work.size(); ++i) {
    if (!work[i].has_call()) {
      if (!any_call) owners[i].kind = WorkOwner::Kind::kBefore;
      continue;
    }
    any_call = true;
    if (work[i].call != call) {
      call = work[i].call;
      owner = OwnerOf(lanes_[lane_of_[call.track.value]], LaunchOf(work[i]));
      if (work[i].first) first_of_calls.push_back(i);
    }
    owners[i] = owner;
  }
  return owners;
}

std::vector<std::vector<WorkOwner>> WorkOwners::Of(const HostWorkItems& work) const {
  std::vector<std::vector<WorkOwner>> owners;
  std::vector<std::vector<Ps>> ends;  // by device and step
  std::vector<bool> little(steps_.size(), true);
  for (const std::vector<WorkItem>& items : work) {
    std::vector<size_t> first_of_calls;
    owners.push_back(Launched(items, first_of_calls));
    ends.push_back(EndOfLaunches(items, owners.back(), first_of_calls));
    if (std::ranges::all_of(ends.back(), [](Ps end) { return end == kMaxTime; })) continue;
    const std::vector<bool> here = LittleBehind(items, owners.back(), ends.back());
    for (size_t s = 0; s < steps_.size(); ++s) little[s] = little[s] && here[s];
  }
  for (size_t d = 0; d < work.size(); ++d) {
    if (std::ranges::all_of(ends[d], [](Ps end) { return end == kMaxTime; })) continue;
    for (size_t i = 0; i < work[d].size(); ++i) {
      auto& [step, kind] = owners[d][i];
      if (kind != WorkOwner::Kind::kStep || ends[d][step] == kMaxTime) continue;
      if (LaunchOf(work[d][i]) < ends[d][step] || ByAnotherThread(work[d][i], step)) continue;
      kind = little[step] ? WorkOwner::Kind::kOther : WorkOwner::Kind::kOutside;
    }
  }
  return owners;
}

}  // namespace gait::analyze

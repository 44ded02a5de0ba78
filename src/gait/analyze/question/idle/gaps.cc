#include "gait/analyze/question/idle/gaps.h"

#include <algorithm>
#include <optional>

#include "gait/analyze/device/category.h"
#include "gait/analyze/host/projections.h"
#include "gait/analyze/view/inferred_waits.h"
#include "gait/analyze/view/peers.h"
#include "gait/analyze/view/step_segments.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

class DeviceGaps {
 public:
  DeviceGaps(const HostView& view, const HostActivity& activity, const Peers& peers,
             const IntervalSet& staging, const std::vector<WorkItem>& work,
             const std::vector<bool>& graph_names, size_t d)
      : view_(view),
        trace_(view.trace()),
        activity_(activity),
        peers_(peers),
        staging_(staging),
        graph_names_(graph_names),
        d_(d),
        work_(work) {
    result_.device = &view.devices[d];
  }

  DeviceIdle Find() && {
    Walk(StepSegments(view_, d_));
    MergeSteps();
    FinishShorter();
    return std::move(result_);
  }

  std::vector<IdlePart> FindPieces(Interval window) && {
    std::vector<IdlePart> pieces;
    pieces_ = &pieces;
    Walk({{window, nullptr}});
    return pieces;
  }

 private:
  void Walk(const std::vector<StepSegment>& segments) {
    const IntervalSet& busy = view_.times[d_].busy();
    size_t next = 0;  // the busy interval that ends the gap
    size_t item = 0;  // the first piece of work at or after its begin
    for (const StepSegment& segment : segments) {
      result_.window += segment.time.length();
      if (segment.step != nullptr) result_.steps.push_back({segment.step, Ps(), {}});
      while (next < busy.size() && busy[next].end <= segment.time.begin) ++next;
      Ps at = segment.time.begin;
      for (size_t i = next; at < segment.time.end; ++i) {
        const bool last = i >= busy.size();
        const Ps end = last ? segment.time.end : std::min(busy[i].begin, segment.time.end);
        if (at < end) {
          const Ps begin = i > 0 ? busy[i - 1].end : at;
          Add(segment, {at, end}, last ? nullptr : EndedBy(busy[i].begin, item),
              last ? end - begin : busy[i].begin - begin);
        }
        if (last) break;
        at = std::max(at, busy[i].end);
      }
    }
  }

  const WorkItem* EndedBy(Ps begin, size_t& item) const {
    const auto at = [&](size_t i) { return work_[i].time.begin; };
    while (item < work_.size() && at(item) < begin) ++item;
    for (size_t i = item; i < work_.size() && at(i) == begin; ++i) {
      if (!work_[i].time.empty()) return &work_[i];
    }
    return nullptr;
  }

  // A part of a gap inside one segment; `whole` is how long the gap is.
  void Add(const StepSegment& segment, Interval part, const WorkItem* work, Ps whole) {
    by_ = {};
    ended_by_ = work;
    Explain(part, work, whole);
    if (pieces_ != nullptr) return;
    const IdleCause cause = static_cast<IdleCause>(std::ranges::max_element(by_) - by_.begin());
    result_.idle += part.length();
    for (size_t c = 0; c < kIdleCauses; ++c) result_.by[c] += by_[c];
    ++result_.gaps[Index(cause)];
    // Of a damaged capture a gap may be longer than the last limit.
    const auto limit =
        static_cast<size_t>(std::ranges::upper_bound(kGapLimits, part.length()) - std::begin(kGapLimits));
    GapClass& length = result_.lengths[std::min(limit, std::size(kGapLimits) - 1)];
    ++length.gaps;
    length.time += part.length();
    if (segment.step != nullptr) {
      result_.steps.back().idle += part.length();
      for (size_t c = 0; c < kIdleCauses; ++c) result_.steps.back().by[c] += by_[c];
    }
    std::vector<IdleGap>& shorter = result_.shorter;
    const bool listed = part.length() >= kListedGap;
    if (!listed && shorter.size() == kListedGaps && part.length() <= shorter[0].time.length()) return;
    const IdleGap gap{part,
                      by_,
                      cause,
                      segment.step,
                      work != nullptr ? work->event : EventRef(),
                      work != nullptr ? work->call : EventRef(),
                      work != nullptr && work->first,
                      {}};
    if (listed) {
      result_.longest.push_back(gap);
      return SetScene(result_.longest.back());
    }
    if (shorter.size() == kListedGaps) {
      std::ranges::pop_heap(shorter, IsLonger);
      shorter.pop_back();
    }
    shorter.push_back(gap);
    std::ranges::push_heap(shorter, IsLonger);
  }

  static bool IsLonger(const IdleGap& a, const IdleGap& b) {
    return std::pair(b.time.length(), a.time.begin) < std::pair(a.time.length(), b.time.begin);
  }

  void SetScene(IdleGap& gap) const { gap.scene = SceneAt(view_, activity_, gap.call.track, gap.time); }

  // `shorter` is a heap while gaps are found, the shortest of them first.
  void FinishShorter() {
    std::ranges::sort(result_.shorter, IsLonger);
    const size_t longest = std::min(kListedGaps, result_.longest.size());
    result_.shorter.resize(std::min(result_.shorter.size(), kListedGaps - longest));
    for (IdleGap& gap : result_.shorter) SetScene(gap);
  }

  void Give(Interval part, IdleCause cause) {
    if (part.empty()) return;
    by_[Index(cause)] += part.length();
    if (pieces_ == nullptr) return;
    const EventRef work = ended_by_ != nullptr ? ended_by_->event : EventRef();
    const EventRef call = ended_by_ != nullptr ? ended_by_->call : EventRef();
    // The host's activity changes often; what has one cause is one piece.
    if (!pieces_->empty() && pieces_->back().cause == cause && pieces_->back().time.end == part.begin &&
        pieces_->back().ended_by == work) {
      pieces_->back().time.end = part.end;
    } else {
      pieces_->push_back({part, cause, work, call});
    }
  }

  void Explain(Interval part, const WorkItem* work, Ps whole) {
    if (work == nullptr) return Give(part, IdleCause::kUnknown);
    if (!work->has_call()) {
      return Give(part, whole <= kMostKernelGap ? IdleCause::kKernelGap : IdleCause::kUnknown);
    }
    const Track& thread = trace_.track(work->call.track);
    const Interval call = thread.interval(work->call.index);
    const Ps begin = trace_.track(work->event.track).begin(work->event.index);
    if (!work->first || call.end <= begin - whole) {
      if (whole <= kMostKernelGap) return Give(part, IdleCause::kKernelGap);
      return Held(part, *work);
    }
    const auto cut = [&](Ps from, Ps to) {
      return Interval{std::max(part.begin, from), std::min(part.end, to)};
    };
    if (IsOfCallback(*work)) {
      Give(cut(part.begin, call.begin), IdleCause::kCallback);
    } else {
      HostWasLate(work->call.track, cut(part.begin, call.begin));
    }
    const IdleCause launch =
        graph_names_[thread.name(work->call.index).value] ? IdleCause::kGraphLaunch : IdleCause::kLaunch;
    Give(cut(call.begin, call.end), launch);
    const Ps after = std::max(call.begin, call.end);
    if (begin - call.end <= kMostLaunchDelay) {
      Give(cut(after, begin), launch);
    } else {
      Held(cut(after, begin), *work);
    }
  }

  // A copy of what a callback takes or gives. The host makes it while Python runs or as soon as it has: what
  // it does before belongs to the callback, whatever it is called.
  bool IsOfCallback(const WorkItem& work) const {
    if (work.work != WorkClass::kCopy) return false;
    const Attribution found = trace_.attribution(trace_.track(work.event.track).args(work.event.index));
    if (!found.instruction.valid()) return false;
    const Program& program = trace_.programs()[found.instruction.program.value];
    return CategoryOf(program, found.instruction.instruction) == Category::kHostCallback;
  }

  // Launched, and not run yet.
  void Held(Interval part, const WorkItem& work) {
    if (part.empty()) return;
    if (const auto last = peers_.Find(d_, work.event)) {
      const Ps met = std::clamp(last->ready, part.begin, part.end);
      Give({part.begin, met}, IdleCause::kPeer);
      part.begin = met;
    }
    if (work.first) part.begin = Staged(part);
    Give(part, IdleCause::kDependency);
  }

  // The first work of a launch may wait for what it takes, which any thread of the host may bring: gives the
  // part up to the last such time, and tells where that ends.
  Ps Staged(Interval part) {
    Ps at = part.begin;
    auto staging = std::ranges::upper_bound(staging_, part.begin, {}, &Interval::end);
    for (; staging != staging_.end() && staging->begin < part.end; ++staging) {
      const Interval time{std::max(at, staging->begin), std::min(part.end, staging->end)};
      Give({at, time.begin}, IdleCause::kDependency);
      Give(time, IdleCause::kStaging);
      at = time.end;
    }
    return at;
  }

  void HostWasLate(TrackId launching, Interval part) {
    if (part.empty()) return;
    const TrackId python = activity_.python_thread();
    const auto give = [&](TrackId thread, Interval time, EventIndex event) {
      const HostWork work = event.valid() ? activity_.work({thread, event}) : HostWork::kNone;
      if (work != HostWork::kNone || thread != python) return Give(time, ProjectionOf(work).cause);
      ForEachAwaited(AwaitedInputOf(view_), time, [&](Interval t, const AwaitedInput* input) {
        if (input != nullptr) return Give(t, IdleCause::kInput);
        Ps at = t.begin;
        for (const Interval waited : Clip(AwaitedResultsOf(view_).times, t)) {
          Give({at, waited.begin}, ProjectionOf(work).cause);
          Give(waited, IdleCause::kHostSync);
          at = waited.end;
        }
        Give({at, t.end}, ProjectionOf(work).cause);
      });
    };
    ForEachHostPart(trace_, launching, activity_, part, [&](Interval time, EventIndex event) {
      if (event.valid() || launching == python || !python.valid()) return give(launching, time, event);
      ForEachHostPart(trace_, python, activity_, time, [&](Interval t, EventIndex e) { give(python, t, e); });
    });
  }

  // Windows that a selected program cuts may hold a step in parts.
  void MergeSteps() {
    std::vector<DeviceIdle::OfStep> merged;
    for (const DeviceIdle::OfStep& of : result_.steps) {
      if (merged.empty() || merged.back().step != of.step) {
        merged.push_back(of);
        continue;
      }
      merged.back().idle += of.idle;
      for (size_t c = 0; c < kIdleCauses; ++c) merged.back().by[c] += of.by[c];
    }
    result_.steps = std::move(merged);
  }

  const HostView& view_;
  const Trace& trace_;
  const HostActivity& activity_;
  const Peers& peers_;
  const IntervalSet& staging_;  // when some thread of the host stages data
  const std::vector<bool>& graph_names_;
  size_t d_;
  const std::vector<WorkItem>& work_;
  TimeByCause by_{};
  const WorkItem* ended_by_ = nullptr;       // of the gap that is looked at
  std::vector<IdlePart>* pieces_ = nullptr;  // where they are wanted instead of sums
  DeviceIdle result_{};
};

std::vector<bool> GraphNames(const Trace& trace) {
  std::vector<bool> graph_names(trace.strings().size());
  for (size_t i = 0; i < graph_names.size(); ++i) {
    graph_names[i] = Is(RuntimeCall::kGraphLaunch, trace.text(StringId(i)));
  }
  return graph_names;
}

IntervalSet StagingTimes(const Trace& trace, const HostActivity& activity) {
  std::vector<Interval> found;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& thread = trace.tracks()[t];
    if (thread.info().kind != TrackKind::kThread) continue;
    const auto stages = [&](EventIndex event) {
      return event.valid() && activity.work({TrackId(t), event}) == HostWork::kStaging;
    };
    for (size_t i = 0; i < thread.size(); ++i) {
      const EventIndex event(i);
      if (!stages(event) || stages(thread.parent(event))) continue;
      ForEachHostPart(trace, TrackId(t), activity, thread.interval(event),
                      [&](Interval time, EventIndex innermost) {
                        if (stages(innermost)) found.push_back(time);
                      });
    }
  }
  return Normalize(std::move(found));
}

HostIdle MakeIdle(const HostView& view, const HostActivity& activity) {
  const Peers peers(view);
  const IntervalSet staging = StagingTimes(view.trace(), activity);
  const std::vector<bool> graph_names = GraphNames(view.trace());
  HostIdle result{&view, {}};
  for (size_t d = 0; d < view.devices.size(); ++d) {
    result.devices.push_back(DeviceGaps(view, activity, peers, staging, view.work[d], graph_names, d).Find());
  }
  return result;
}

}  // namespace

const HostIdle& FindIdle(const HostView& view) {
  return view.memo->Get<HostIdle>([&] { return MakeIdle(view, ActivityOf(view)); });
}

std::vector<IdlePart> FindIdleParts(const HostView& view, size_t device) {
  std::optional<Interval> span;
  const auto include = [&](const IntervalSet& times) {
    if (times.empty()) return;
    const Interval whole{times.front().begin, times.back().end};
    span = span ? Interval{std::min(span->begin, whole.begin), std::max(span->end, whole.end)} : whole;
  };
  for (const DeviceTime& time : view.times) include(time.busy());
  if (!span) return {};
  // A step may begin long before its first work.
  for (const IntervalSet& windows : view.windows) include(windows);
  const std::vector<bool> graph_names = GraphNames(view.trace());
  const Peers peers(view);
  const HostActivity& activity = ActivityOf(view);
  const IntervalSet staging = StagingTimes(view.trace(), activity);
  return DeviceGaps(view, activity, peers, staging, view.work[device], graph_names, device).FindPieces(*span);
}

}  // namespace gait::analyze

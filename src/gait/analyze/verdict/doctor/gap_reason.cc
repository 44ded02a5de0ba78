#include "gait/analyze/verdict/doctor/gap_reason.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/host/thread_quiet.h"
#include "gait/analyze/verdict/doctor/cpu_work.h"
#include "gait/analyze/verdict/doctor/interruptions.h"
#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

std::string_view TextOf(const Trace& trace, StringId name) {
  return name.valid() ? trace.text(name) : std::string_view();
}

// When any thread of the host copied bytes that had come from the device out of a staging buffer.
struct Unstaging {
  IntervalSet times;
};

const Unstaging& UnstagingOf(const HostView& host) {
  return host.memo->Get<Unstaging>([&] {
    const Trace& trace = host.trace();
    std::vector<bool> unstages(trace.strings().size());
    for (size_t i = 0; i < unstages.size(); ++i)
      unstages[i] = Is(RuntimeCall::kFromStaging, trace.text(StringId(i)));
    std::vector<Interval> times;
    for (const Track& track : trace.tracks()) {
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        if (unstages[track.name(EventIndex(i)).value]) times.push_back(track.interval(EventIndex(i)));
      }
    }
    return Unstaging{Normalize(std::move(times))};
  });
}

// Whether what the host waited for was a copy to itself: until the copy began it got memory for the bytes
// ready (the result was there: nothing else ran), or for most of the gap it unpacked them afterwards.
bool IsFetching(const IdleSlice& piece) {
  const IdleGap& gap = *piece.gap;
  if (gap.ended_by.track.valid() && gap.time.length() > kMostLaunchDelay) {
    const std::string_view ended_by = piece.host->trace().name(gap.ended_by);
    if (KindOfCopy(ended_by, {}, std::nullopt) == CopyKind::kDeviceToHost) return true;
  }
  const Interval time[] = {gap.time};
  return TotalLength(Intersect(UnstagingOf(*piece.host).times, time)) * 2 > piece.time;
}

// For most of the gap the CPU computed: what the host waited for, or a copy of its result.
bool IsOnCpu(const IdleSlice& piece) {
  if (piece.gap == nullptr) return false;
  const Interval time[] = {piece.gap->time};
  return TotalLength(Intersect(CpuWorkOf(*piece.host), time)) * 2 > piece.gap->time.length();
}

// For half of the gap or more the loop was at it.
bool IsAt(const IdleSlice& piece, Interruption kind) {
  const Interval gap = piece.gap->time;
  return InterruptionsOf(*piece.host).Within(kind, gap) * 2 >= gap.length();
}

// A gap between steps that begins where the device ended a step of an evaluation: the loop came back from it.
bool FollowsEvaluation(const IdleSlice& piece) {
  if (!piece.between_steps()) return false;
  const std::vector<StepSeries>& series = piece.host->series;
  return std::ranges::any_of(series.begin() + 1, series.end(), [&](const StepSeries& other) {
    return NamesEvaluation(other.name) && std::ranges::any_of(other.steps, [&](const Step& step) {
             return step.time[piece.device].end == piece.gap->time.begin;
           });
  });
}

bool Collects(const HostScene& scene, const Trace& trace) {
  const auto collects = [&](StringId name) { return WorkOfName(TextOf(trace, name)) == HostWork::kCollect; };
  return collects(scene.python) || collects(scene.runtime) || collects(scene.annotation);
}

// What people wrote around the gap; a step is around everything and says nothing.
std::string_view AnnotationOf(const IdleSlice& piece) {
  const std::string_view name = TextOf(piece.host->trace(), piece.gap->scene.annotation);
  const bool step =
      std::ranges::any_of(piece.host->series, [&](const StepSeries& s) { return s.name == name; });
  return step ? std::string_view() : name;
}

// Where the host was late for another reason than waiting, input or compiling.
GapReason OfHost(const IdleSlice& piece) {
  const bool waits = !piece.host->series.empty() && piece.host->series[0].waits_in_loop();
  if (!piece.between_steps()) return GapReason::kLaunching;
  // A host that runs the programs itself is not done with one when its last operation is.
  if (!piece.host->series.empty() && piece.host->series[0].loop == Loop::kInline && IsRuntimeOnly(piece))
    return GapReason::kLaunching;
  // If the loop did not wait for its steps, the device would not notice what the host does after the wait.
  return waits ? GapReason::kSync : GapReason::kBetweenSteps;
}

std::string_view WithoutDollar(std::string_view name) {
  if (name.starts_with('$')) name.remove_prefix(1);
  return name;
}

// The line that people know, and what it called there: "train.py:83 load → time sleep". Empty where the host
// waited for most of the gap and the piece is the rest of it.
std::string PythonText(const IdleSlice& piece) {
  const Trace& trace = piece.host->trace();
  const HostScene& scene = piece.gap->scene;
  const std::string_view inner = WithoutDollar(TextOf(trace, scene.python));
  if (inner.empty()) return {};
  if (piece.cause != IdleCause::kHostSync && WorkOfName(trace.text(scene.python)) == HostWork::kSync)
    return {};
  if (!scene.user.valid() || scene.user == scene.python) return std::string(inner);
  const bool has_line = inner.find(':') != std::string_view::npos;
  return fmt::format("{} → {}", WithoutDollar(trace.text(scene.user)),
                     has_line ? inner.substr(inner.find(' ') + 1) : inner);
}

// How the host can have waited: with the device working on what it had launched, it did nothing that is
// recorded, and launched the next work only after the device was done. Its own code would show as much, so
// the stillness must have lasted longer while the device worked than after that.
std::optional<Interval> FindStandstill(const IdleSlice& piece) {
  const IdleGap& gap = *piece.gap;
  const Trace& trace = piece.host->trace();
  if (!gap.call.track.valid() || trace.track(gap.call.track).info().kind != TrackKind::kThread)
    return std::nullopt;
  const Track& thread = trace.track(gap.call.track);
  if (thread.begin(gap.call.index) < gap.time.begin) return std::nullopt;
  const HostActivity& activity = ActivityOf(*piece.host);
  const TrackId id = gap.call.track;
  const Quiet still =
      QuietAt(thread, gap.time.begin, [&](EventIndex e) { return activity.end(thread, {id, e}); });
  if (!activity.SaysNothing(trace, still.in.valid() ? EventRef{id, still.in} : EventRef()))
    return std::nullopt;
  const Ps before = gap.time.begin - still.time.begin;
  if (before < kMostLaunchDelay || still.time.end - gap.time.begin > before) return std::nullopt;
  return Interval{still.time.begin, gap.time.begin};
}

// An allocator that keeps the device's memory answers in a microsecond, the driver in tens.
constexpr Ps kDriversAllocation = Microseconds(10);

}  // namespace

std::optional<Interval> StandstillBefore(const IdleSlice& piece) {
  const bool waits = !piece.host->series.empty() && piece.host->series[0].waits_in_loop();
  if (!waits || piece.gap == nullptr || piece.between_steps()) return std::nullopt;
  return FindStandstill(piece);
}

GapReason FindReason(const IdleSlice& piece) {
  if (piece.cause == IdleCause::kPeer) return GapReason::kPeer;
  if (piece.cause == IdleCause::kCompile) return GapReason::kCompile;
  if (piece.cause == IdleCause::kCallback) return GapReason::kCallback;
  const bool device = piece.cause == IdleCause::kDependency || piece.cause == IdleCause::kKernelGap ||
                      piece.cause == IdleCause::kUnknown;
  if (piece.gap != nullptr) {
    const HostScene& scene = piece.gap->scene;
    const Trace& trace = piece.host->trace();
    if (Collects(scene, trace)) return device ? GapReason::kDevice : GapReason::kCollect;
    if (!device) {
      if (IsAt(piece, Interruption::kCheckpoint)) return GapReason::kCheckpoint;
      if (IsAt(piece, Interruption::kEvaluation) || FollowsEvaluation(piece)) return GapReason::kEvaluation;
      if (piece.cause == IdleCause::kHostSync && IsFetching(piece)) return GapReason::kFetching;
    }
  }
  if (piece.cause == IdleCause::kInput) return GapReason::kInput;
  if (IsOnCpu(piece)) return GapReason::kOnCpu;
  if (piece.cause == IdleCause::kStaging) return GapReason::kStaging;
  if (StandstillBefore(piece)) return GapReason::kSync;
  if (device) return GapReason::kDevice;
  if (piece.cause == IdleCause::kHostSync) return GapReason::kSync;
  if (piece.cause == IdleCause::kAllocator && piece.gap != nullptr && piece.time >= kDriversAllocation)
    return GapReason::kAllocating;
  return OfHost(piece);
}

std::string InScene(const IdleSlice& piece) {
  const Trace& trace = piece.host->trace();
  const HostScene& scene = piece.gap->scene;
  const std::string_view annotation = AnnotationOf(piece);
  if (!annotation.empty()) return fmt::format(" in {}", annotation);
  if (const std::string python = PythonText(piece); !python.empty()) return " in " + python;
  return scene.runtime.valid() ? fmt::format(" in {}", CommonName(trace.text(scene.runtime))) : "";
}

bool IsRuntimeOnly(const IdleSlice& piece) {
  const HostScene& scene = piece.gap->scene;
  return scene.runtime.valid() && !scene.python.valid() && AnnotationOf(piece).empty();
}

std::string HostDoing(const Patient& patient, const Claims& claims) {
  std::map<std::string, Ps> by_name;
  Ps all;
  for (const Claim& claim : claims) {
    all += claim.amount;
    if (claim.piece >= patient.ledger.idle().size()) continue;
    const IdleSlice& piece = patient.ledger.idle()[claim.piece];
    if (piece.gap == nullptr) continue;
    const Trace& trace = piece.host->trace();
    const HostScene& scene = piece.gap->scene;
    const std::string_view annotation = AnnotationOf(piece);
    const std::string python = PythonText(piece);
    std::string name;
    if (!annotation.empty()) {
      name = python.empty() ? annotation : fmt::format("{} ({})", annotation, python);
    } else {
      name = python.empty() ? CommonName(TextOf(trace, scene.runtime)) : python;
    }
    if (!name.empty()) by_name[name] += claim.amount;
  }
  const auto most = std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  return most == by_name.end() || most->second * 2 < all ? std::string() : most->first;
}

}  // namespace gait::analyze

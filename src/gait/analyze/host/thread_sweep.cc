#include "gait/analyze/host/thread_sweep.h"

#include <algorithm>

namespace gait::analyze {

Activities::Activities(const Trace& trace)
    : trace_(trace),
      step_(trace.arg_sets().size()),
      runtime_args_(trace.arg_sets().size()),
      operation_(trace.arg_sets().size()),
      on_device_(trace.strings().size()),
      by_name_(trace.strings().size()) {
  const StringId step_num = trace.strings().Find("step_num").value_or(StringId());
  const StringId hlo_op = trace.strings().Find("hlo_op").value_or(StringId());
  const StringId ordinal = trace.strings().Find("device_ordinal").value_or(StringId());
  for (size_t i = 0; i < step_.size(); ++i) {
    bool names_operation = false;
    bool names_device = false;
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(i)]) {
      step_[i] = step_[i] || entry.key == step_num;
      runtime_args_[i] = runtime_args_[i] || IsRuntimeArgument(trace.text(entry.key));
      names_operation = names_operation || entry.key == hlo_op;
      names_device = names_device || entry.key == ordinal;
    }
    operation_[i] = names_operation && names_device;
  }
  for (const Track& track : trace.tracks()) {
    if (!trace.plane(track.info().plane).is_device()) continue;
    for (size_t i = 0; i < track.size(); ++i) on_device_[track.name(EventIndex(i)).value] = true;
  }
  for (size_t kind = 0; kind < std::size(parts_); ++kind) {
    parts_[kind].resize(by_name_.size());
    parts_known_[kind].resize(by_name_.size());
  }
}

Activities::ByName Activities::LookAt(StringId name) const {
  const std::string_view text = trace_.text(name);
  if (IsPythonFrame(text)) return ByName::kPython;
  if (IsProfilerName(text)) return ByName::kProfiler;
  if (IsRuntimeName(text) || on_device_[name.value]) return ByName::kRuntime;
  const bool operation =
      std::ranges::any_of(trace_.programs(), [&](const Program& p) { return p.Find(text).valid(); });
  return operation ? ByName::kRuntime : ByName::kOpen;
}

ActivityKind Activities::KindOf(const Track& track, EventIndex event, bool runtime_thread,
                                bool inside_runtime) {
  const size_t set = track.args(event).value;
  if (step_[set]) return ActivityKind::kStep;
  if (operation_[set]) return ActivityKind::kOperation;
  ByName& by_name = by_name_[track.name(event).value];
  if (by_name == ByName::kUnseen) by_name = LookAt(track.name(event));
  if (by_name == ByName::kPython) return ActivityKind::kPython;
  if (by_name == ByName::kProfiler) return ActivityKind::kProfiler;
  const bool runtime = by_name == ByName::kRuntime || runtime_args_[set] || runtime_thread || inside_runtime;
  return runtime ? ActivityKind::kRuntime : ActivityKind::kAnnotation;
}

HostPart Activities::PartOf(ActivityKind kind, StringId name) {
  const auto k = static_cast<size_t>(kind);
  if (!parts_known_[k][name.value]) {
    parts_[k][name.value] = analyze::PartOf(kind, trace_.text(name));
    parts_known_[k][name.value] = true;
  }
  return parts_[k][name.value];
}

namespace {

bool Internal(ActivityKind kind) {
  return kind == ActivityKind::kRuntime || kind == ActivityKind::kOperation;
}

}  // namespace

ThreadSweep Sweep(const Trace& trace, TrackId thread, Activities& activities) {
  struct Running {
    EventIndex event;
    Ps end;
    ActivityKind kind;
    HostPart part;
  };
  const Track& track = trace.track(thread);
  const bool runtime_thread = IsRuntimeThread(trace.text(track.info().name));
  ThreadSweep sweep;
  sweep.kinds.reserve(track.size());
  std::vector<Running>
      running;  // the one that began last on top; what has ended goes when it comes to the top
  Ps at;
  const auto advance = [&](Ps until) {
    while (!running.empty() && at < until) {
      const Running& owner = running.back();
      if (owner.end <= at) {
        running.pop_back();
        continue;
      }
      const Ps stop = std::min(owner.end, until);
      sweep.slices.push_back({{at, stop}, owner.event, owner.part});
      at = stop;
    }
    at = until;
  };
  for (size_t i = 0; i < track.size(); ++i) {
    const EventIndex event(i);
    const Ps begin = track.begin(event);
    advance(begin);
    while (!running.empty() && running.back().end <= begin) running.pop_back();
    const bool inside_runtime = !running.empty() && Internal(running.back().kind);
    const ActivityKind kind = activities.KindOf(track, event, runtime_thread, inside_runtime);
    sweep.kinds.push_back(kind);
    if (track.duration(event) == Ps()) continue;
    const HostPart around = running.empty() ? HostPart::kNone : running.back().part;
    HostPart part = activities.PartOf(kind, track.name(event));
    // Tracing and compiling call functions of all kinds of names; only waiting and copies stand out in them.
    const bool dispatching = around == HostPart::kDispatch || around == HostPart::kCompile;
    if (part == HostPart::kNone || (dispatching && part == HostPart::kFetch)) part = around;
    if (around == HostPart::kCompile) part = around;
    running.push_back({event, track.end(event), kind, part});
  }
  advance(kMaxTime);
  return sweep;
}

}  // namespace gait::analyze

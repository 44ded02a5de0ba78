#include "gait/analyze/host/host_activity.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "gait/analyze/vocabulary/step_arguments.h"

namespace gait::analyze {
namespace {

// What one argument set says of the events that have it.
struct SetMeaning {
  bool step = false;
  bool launch = false;     // has a correlation id
  bool runtime = false;    // has arguments that only the runtime writes
  bool operation = false;  // names an operation and its device
};

std::vector<SetMeaning> MeaningsOfSets(const Trace& trace) {
  std::vector<SetMeaning> sets(trace.arg_sets().size());
  const std::optional<StringId> step = StepArgument(trace);
  const StringId block = BlockArgument(trace);
  for (size_t i = 0; i < sets.size(); ++i) {
    bool names_operation = false;
    bool names_device = false;
    for (const ArgEntry& entry : trace.arg_sets()[ArgSetId(i)]) {
      if (!entry.key.valid()) continue;
      const std::string_view key = trace.text(entry.key);
      sets[i].step |= entry.key == step || entry.key == block;
      sets[i].launch |= key == "correlation_id";
      sets[i].runtime |= IsRuntimeArgument(key);
      names_operation |= key == "hlo_op";
      names_device |= key == "device_ordinal";
    }
    sets[i].operation = names_operation && names_device;
  }
  return sets;
}

// What one name says; only names of host events are looked at.
struct NameMeaning {
  HostKind kind = HostKind::kAnnotation;
  HostWork work = HostWork::kNone;
  bool seen = false;
  bool jitted = false;      // a call of a jitted function
  bool contextlib = false;  // enters or leaves a `with`, which calls next() of its own
};

class NameMeanings {
 public:
  explicit NameMeanings(const Trace& trace) : trace_(trace), names_(trace.strings().size()) {
    std::vector<bool> on_device(names_.size());
    for (const Track& track : trace.tracks()) {
      if (!trace.plane(track.info().plane).is_device()) continue;
      for (size_t i = 0; i < track.size(); ++i) on_device[track.name(EventIndex(i)).value] = true;
    }
    for (const Track& track : trace.tracks()) {
      if (track.info().kind != TrackKind::kThread) continue;
      for (size_t i = 0; i < track.size(); ++i) {
        const StringId name = track.name(EventIndex(i));
        if (!names_[name.value].seen) names_[name.value] = LookAt(name, on_device[name.value]);
      }
    }
  }
  const NameMeaning& operator[](StringId name) const { return names_[name.value]; }

 private:
  NameMeaning LookAt(StringId id, bool on_device) const {
    const std::string_view name = trace_.text(id);
    NameMeaning found{KindOfName(name), WorkOfName(name), true,
                      name.starts_with("PjitFunction(") || name.starts_with("PmapFunction("),
                      name.starts_with("$contextlib.py")};
    if (found.kind != HostKind::kAnnotation) return found;
    const bool operation = on_device || std::ranges::any_of(trace_.programs(), [&](const Program& p) {
                             return p.Find(name).valid();
                           });
    if (operation) found = {HostKind::kRuntime, HostWork::kDispatch, true, false, false};
    return found;
  }

  const Trace& trace_;
  std::vector<NameMeaning> names_;
};

// Which events are the two ends of one wait.
class SplitWaits {
 public:
  explicit SplitWaits(const Trace& trace)
      : trace_(trace),
        producer_(trace.strings().Find("_p").value_or(StringId())),
        consumer_(trace.strings().Find("_c").value_or(StringId())) {}

  // Whether the event, which waits for a result, is the end of a wait that the one before it began.
  bool Ends(TrackId thread, EventIndex event) const {
    if (event.value == 0 || !producer_.valid() || !consumer_.valid()) return false;
    const Track& track = trace_.track(thread);
    const EventIndex before(event.value - 1);
    if (track.name(before) != track.name(event) || track.parent(before) != track.parent(event)) return false;
    const auto begun = trace_.FindArg({thread, before}, producer_);
    const auto over = trace_.FindArg({thread, event}, consumer_);
    return begun && over && begun->bits == over->bits;
  }

 private:
  const Trace& trace_;
  StringId producer_;
  StringId consumer_;
};

}  // namespace

HostActivity::HostActivity(const Trace& trace)
    : events_(trace.tracks().size()), runs_python_(trace.tracks().size()) {
  const std::vector<SetMeaning> sets = MeaningsOfSets(trace);
  const NameMeanings names(trace);
  const SplitWaits waits(trace);
  std::vector<bool> calls_runtime(trace.tracks().size());
  uint64_t best = 0;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    uint64_t calls = 0;
    uint64_t marks = 0;
    bool frames = false;
    bool runtime = false;
    for (size_t i = 0; i < track.size(); ++i) {
      const NameMeaning& name = names[track.name(EventIndex(i))];
      const SetMeaning& set = sets[track.args(EventIndex(i)).value];
      calls += name.jitted ? 1 : 0;
      marks += set.step ? 1 : 0;
      frames |= name.kind == HostKind::kPython;
      runtime |= set.runtime || name.kind == HostKind::kRuntime;
    }
    calls_runtime[t] = runtime;
    runs_python_[t] = calls > 0 || marks > 0 || frames;
    const uint64_t weight = (marks << 32) + (calls << 1) + (frames ? 1 : 0);
    if (weight > best) {
      best = weight;
      python_thread_ = TrackId(t);
    }
  }
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    const std::string_view thread = trace.text(track.info().name);
    // Threads that Python starts have the name of the one that runs the loop, or one of their own: a loader
    // that calls device_put.
    const bool namesake =
        python_thread_.valid() && track.info().name == trace.track(python_thread_).info().name;
    const bool pool = IsRuntimeThread(thread) ||
                      (calls_runtime[t] && !runs_python_[t] && !namesake && IsNumberedThread(thread));
    const bool compiles = thread.find("compile") != std::string_view::npos;
    std::vector<Event>& events = events_[t];
    events.reserve(track.size());
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const NameMeaning& name = names[track.name(event)];
      const SetMeaning& set = sets[track.args(event).value];
      const EventIndex parent = track.parent(event);
      const Event around =
          parent.valid()
              ? events[parent.value]
              : Event{HostKind::kAnnotation, HostWork::kNone, HostWork::kNone, false, false, false};
      const bool within = around.kind == HostKind::kRuntime || around.kind == HostKind::kOperation;
      Event found{name.kind, name.work, HostWork::kNone, around.inside_runtime, around.launches || set.launch,
                  false};
      if (set.step) {
        found.kind = HostKind::kStep;
        found.own = HostWork::kNone;
      } else if (set.operation) {
        found.kind = HostKind::kOperation;
        found.own = HostWork::kDispatch;
      } else if (found.kind == HostKind::kAnnotation || found.kind == HostKind::kRuntime) {
        const bool own_name = found.kind == HostKind::kRuntime;
        if (set.runtime || pool || within) found.kind = HostKind::kRuntime;
        if (!own_name && (around.inside_runtime || found.kind == HostKind::kRuntime)) {
          // What its name seems to say is no input pipeline; a call is on the way to a launch at least.
          const bool says = !around.inside_runtime && found.own != HostWork::kInput;
          found.own = std::min(says ? found.own : HostWork::kNone,
                               set.runtime || pool ? HostWork::kDispatch : HostWork::kNone);
        }
      } else if (found.kind == HostKind::kPython && found.own == HostWork::kInput) {
        const bool enters = parent.valid() && names[track.name(parent)].contextlib;
        if (around.inside_runtime || enters) found.own = HostWork::kNone;
      }
      if (compiles) found.own = HostWork::kCompile;
      found.inside_runtime |= found.kind == HostKind::kRuntime || found.kind == HostKind::kOperation;
      found.work = std::min<HostWork>(found.own, around.work);
      if (name.work == HostWork::kSync && waits.Ends(TrackId(t), event)) events.back().begins_wait = true;
      events.push_back(found);
    }
  }
}

bool HostActivity::SaysNothing(const Trace& trace, EventRef event) const {
  if (!event.track.valid()) return true;
  if (work(event) != HostWork::kNone) return false;
  return kind(event) == HostKind::kStep || kind(event) == HostKind::kAnnotation ||
         kind(event) == HostKind::kProfiler ||
         (kind(event) == HostKind::kPython &&
          (IsUserFrame(trace.name(event)) || IsWaitForThread(trace.name(event))));
}

}  // namespace gait::analyze

#include "gait/analyze/host/host_activity.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "gait/analyze/host/device_names.h"
#include "gait/analyze/vocabulary/python_frames.h"
#include "gait/analyze/vocabulary/runtime_events.h"
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
    const std::vector<bool> on_device = NamesOnDevices(trace);
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
    NameMeaning found{KindOfName(name), WorkOfName(name), true, Is(RuntimeCall::kJitted, name),
                      IsOfWith(name)};
    if (found.kind != HostKind::kAnnotation) return found;
    if (on_device || IsInstruction(trace_, name))
      found = {HostKind::kRuntime, HostWork::kDispatch, true, false, false};
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

// What the events of a thread say of it.
struct ThreadSigns {
  uint64_t jitted = 0;  // calls of jitted functions
  uint64_t steps = 0;
  bool frames = false;  // of Python
  bool calls_runtime = false;

  bool runs_python() const { return jitted > 0 || steps > 0 || frames; }
  // The thread that runs the user's code has the most.
  uint64_t weight() const { return (steps << 32) + (jitted << 1) + (frames ? 1 : 0); }
};

ThreadSigns SignsOf(const Track& track, const NameMeanings& names, const std::vector<SetMeaning>& sets) {
  ThreadSigns signs;
  for (size_t i = 0; i < track.size(); ++i) {
    const NameMeaning& name = names[track.name(EventIndex(i))];
    const SetMeaning& set = sets[track.args(EventIndex(i)).value];
    signs.jitted += name.jitted ? 1 : 0;
    signs.steps += set.step ? 1 : 0;
    signs.frames |= name.kind == HostKind::kPython;
    signs.calls_runtime |= set.runtime || name.kind == HostKind::kRuntime;
  }
  return signs;
}

}  // namespace

// Says of each event of a host thread what it is.
class HostActivity::ThreadReader {
 public:
  explicit ThreadReader(const Trace& trace)
      : trace_(trace), sets_(MeaningsOfSets(trace)), names_(trace), waits_(trace) {}

  ThreadSigns Signs(const Track& track) const { return SignsOf(track, names_, sets_); }

  // `pool`: it is a thread of the runtime.
  std::vector<Event> Read(TrackId thread, bool pool) const {
    const Track& track = trace_.track(thread);
    const bool compiles = trace_.text(track.info().name).find("compile") != std::string_view::npos;
    std::vector<Event> events;
    events.reserve(track.size());
    for (size_t i = 0; i < track.size(); ++i) {
      const EventIndex event(i);
      const EventIndex parent = track.parent(event);
      const Event around = parent.valid() ? events[parent.value] : kNothing;
      const NameMeaning& name = names_[track.name(event)];
      Event found = Meaning(name, sets_[track.args(event).value], pool, around);
      if (TakesNextItem(found)) {
        const bool enters = parent.valid() && names_[track.name(parent)].contextlib;
        if (around.inside_runtime || enters) found.own = HostWork::kNone;
      }
      if (compiles) found.own = HostWork::kCompile;
      found.inside_runtime |= IsRuntimes(found.kind);
      found.work = std::min<HostWork>(found.own, around.work);
      if (name.work == HostWork::kSync && waits_.Ends(thread, event)) events.back().begins_wait = true;
      events.push_back(found);
    }
    return events;
  }

 private:
  static constexpr Event kNothing{
      HostKind::kAnnotation, HostWork::kNone, HostWork::kNone, false, false, false};

  static bool IsRuntimes(HostKind kind) { return kind == HostKind::kRuntime || kind == HostKind::kOperation; }
  static bool TakesNextItem(const Event& event) {
    return event.kind == HostKind::kPython && event.own == HostWork::kInput;
  }

  // By name, arguments and what it runs in.
  static Event Meaning(const NameMeaning& name, const SetMeaning& set, bool pool, const Event& around) {
    Event found{name.kind, name.work, HostWork::kNone, around.inside_runtime, around.launches || set.launch,
                false};
    if (set.step) {
      found.kind = HostKind::kStep;
      found.own = HostWork::kNone;
    } else if (set.operation) {
      found.kind = HostKind::kOperation;
      found.own = HostWork::kDispatch;
    } else if (found.kind == HostKind::kRuntime) {
      return found;
    } else if (found.kind == HostKind::kAnnotation) {
      if (set.runtime || pool || IsRuntimes(around.kind)) found.kind = HostKind::kRuntime;
      if (around.inside_runtime || found.kind == HostKind::kRuntime) {
        // What its name seems to say is no input pipeline; a call is on the way to a launch at least.
        const bool says = !around.inside_runtime && found.own != HostWork::kInput;
        found.own = std::min(says ? found.own : HostWork::kNone,
                             set.runtime || pool ? HostWork::kDispatch : HostWork::kNone);
      }
    }
    return found;
  }

  const Trace& trace_;
  std::vector<SetMeaning> sets_;
  NameMeanings names_;
  SplitWaits waits_;
};

HostActivity::HostActivity(const Trace& trace)
    : events_(trace.tracks().size()), runs_python_(trace.tracks().size()) {
  const ThreadReader reader(trace);
  std::vector<bool> calls_runtime(trace.tracks().size());
  uint64_t most = 0;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    if (trace.tracks()[t].info().kind != TrackKind::kThread) continue;
    const ThreadSigns signs = reader.Signs(trace.tracks()[t]);
    calls_runtime[t] = signs.calls_runtime;
    runs_python_[t] = signs.runs_python();
    if (signs.weight() > most) {
      most = signs.weight();
      python_thread_ = TrackId(t);
    }
  }
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const TrackInfo& info = trace.tracks()[t].info();
    if (info.kind != TrackKind::kThread) continue;
    // Threads that Python starts have the name of the one that runs the loop, or one of their own: a loader
    // that calls device_put.
    const bool namesake = python_thread_.valid() && info.name == trace.track(python_thread_).info().name;
    const std::string_view name = trace.text(info.name);
    const bool pool = IsRuntimeThread(name) ||
                      (calls_runtime[t] && !runs_python_[t] && !namesake && IsNumberedThread(name));
    events_[t] = reader.Read(TrackId(t), pool);
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

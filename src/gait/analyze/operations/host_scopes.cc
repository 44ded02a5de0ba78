#include "gait/analyze/operations/host_scopes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gait/analyze/vocabulary/host_names.h"
#include "gait/analyze/vocabulary/python_frames.h"

namespace gait::analyze {
namespace {

// "$model.py:12 forward" as "model.py:12 forward".
std::string_view FrameText(std::string_view name) { return name.starts_with('$') ? name.substr(1) : name; }

}  // namespace

HostScopes::HostScopes(const HostView& host)
    : host_(host),
      activity_(ActivityOf(host)),
      run_(host.trace(), "run_id"),
      scopes_(1),
      known_(host.trace().tracks().size()) {
  numbers_.emplace(HostScope(), 0);
  const Trace& trace = host.trace();
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread || !activity_.runs_python(TrackId(t))) continue;
    for (size_t i = 0; i < track.size(); ++i) {
      if (!run_.in(track.args(EventIndex(i)))) continue;
      const auto run = run_(track, EventIndex(i));
      if (run && run->integer())
        call_of_run_.try_emplace(*run->integer(), EventRef{TrackId(t), EventIndex(i)});
    }
  }
}

uint32_t HostScopes::Number(HostScope scope) {
  const auto [entry, added] = numbers_.try_emplace(std::move(scope), static_cast<uint32_t>(scopes_.size()));
  if (added) scopes_.push_back(entry->first);
  return entry->second;
}

uint32_t HostScopes::Extend(uint32_t outer, EventRef event) {
  const Trace& trace = host_.trace();
  const HostKind kind = activity_.kind(event);
  const std::string_view name = trace.name(event);
  const bool frame = kind == HostKind::kPython && IsUserFrame(name);
  if (kind != HostKind::kAnnotation && !frame) return outer;
  const StringId id = trace.track(event.track).name(event.index);
  const auto [entry, added] = extended_.try_emplace({outer, id.value, frame}, 0);
  if (added) {
    HostScope scope = scopes_[outer];
    if (frame) {
      scope.caller = FrameText(name);
    } else {
      scope.path.emplace_back(name);
    }
    entry->second = Number(std::move(scope));
  }
  return entry->second;
}

uint32_t HostScopes::Around(EventRef event) {
  const Track& track = host_.trace().track(event.track);
  std::vector<uint32_t>& known = known_[event.track.value];
  if (known.empty()) known.resize(track.size());
  std::vector<EventIndex> inner;
  EventIndex at = event.index;
  while (at.valid() && known[at.value] == 0) {
    inner.push_back(at);
    at = track.parent(at);
  }
  uint32_t number = at.valid() ? known[at.value] - 1 : 0;
  for (size_t i = inner.size(); i-- > 0;) {
    number = Extend(number, {event.track, inner[i]});
    known[inner[i].value] = number + 1;
  }
  return number;
}

EventRef HostScopes::ProgramCall(EventRef launch) const {
  const Track& track = host_.trace().track(launch.track);
  for (EventIndex at = launch.index; at.valid(); at = track.parent(at)) {
    if (!run_.in(track.args(at))) continue;
    const auto run = run_(track, at);
    const auto found = run && run->integer() ? call_of_run_.find(*run->integer()) : call_of_run_.end();
    if (found != call_of_run_.end()) return found->second;
  }
  return launch;
}

uint32_t HostScopes::OfCall(EventRef call) {
  const bool python = activity_.runs_python(call.track);
  return Around(python ? call : ProgramCall(call));
}

EventRef HostScopes::Outermost(EventRef call) const {
  const EventRef from = activity_.runs_python(call.track) ? call : ProgramCall(call);
  const Track& track = host_.trace().track(from.track);
  EventRef outermost;
  for (EventIndex at = from.index; at.valid(); at = track.parent(at)) {
    if (activity_.kind({from.track, at}) == HostKind::kAnnotation) outermost = {from.track, at};
  }
  return outermost;
}

// Callers tell more than programs do where one of them launched several: in eager code.
bool HasHostScopes(const RunView& view) {
  struct Any {
    bool value;
  };
  const auto look = [](const HostView& host) {
    HostScopes scopes(host);
    std::map<std::string, uint32_t> program_of;  // by caller
    for (const std::vector<WorkItem>& work : host.work) {
      for (const WorkItem& item : work) {
        const HostScope& scope = scopes[scopes.Of(item)];
        if (!scope.path.empty()) return true;
        if (scope.caller.empty()) continue;
        const Track& track = host.trace().track(item.event.track);
        const InstructionRef ref = host.trace().attribution(track.args(item.event.index)).instruction;
        if (!ref.valid()) continue;
        if (program_of.try_emplace(scope.caller, ref.program.value).first->second != ref.program.value)
          return true;
      }
    }
    return false;
  };
  return view.memo->Get<Any>([&] { return Any{std::ranges::any_of(view.hosts, look)}; }).value;
}

}  // namespace gait::analyze

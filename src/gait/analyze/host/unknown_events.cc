#include "gait/analyze/host/unknown_events.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "gait/analyze/host/device_names.h"
#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {

std::vector<UnknownEvents> FindUnknownEvents(const Trace& trace) {
  const HostActivity activity(trace);
  const std::vector<bool> of_devices = NamesOnDevices(trace);
  std::vector<std::optional<bool>> known(trace.strings().size());
  const auto is_known = [&](StringId id) {
    const std::string_view name = trace.text(id);
    const HostWork work = WorkOfName(name);  // by a word
    return of_devices[id.value] || IsDriverCall(name) || FindRuntimeEvent(name) != nullptr ||
           (work != HostWork::kDispatch && work != HostWork::kNone) || IsInstruction(trace, name);
  };
  std::map<std::string_view, UnknownEvents> found;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& thread = trace.tracks()[t];
    if (thread.info().kind != TrackKind::kThread) continue;
    for (size_t i = 0; i < thread.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (activity.kind(event) != HostKind::kRuntime || activity.work(event) != HostWork::kDispatch) continue;
      const StringId name = thread.name(event.index);
      if (!known[name.value]) known[name.value] = is_known(name);
      if (*known[name.value]) continue;
      UnknownEvents& events = found[CommonName(trace.text(name))];
      if (events.count++ == 0) events.thread = trace.text(thread.info().name);
      events.total += thread.duration(event.index);
    }
  }
  std::vector<UnknownEvents> sorted;
  for (auto& [name, events] : found) {
    events.name = name;
    sorted.push_back(events);
  }
  std::ranges::stable_sort(sorted, std::greater(), &UnknownEvents::total);
  return sorted;
}

}  // namespace gait::analyze

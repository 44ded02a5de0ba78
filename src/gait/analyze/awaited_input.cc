#include "gait/analyze/awaited_input.h"

#include <algorithm>

#include "gait/analyze/standstill.h"
#include "gait/analyze/view.h"

namespace gait::analyze {
namespace {

std::vector<AwaitedInput> FindAwaitedInput(const Trace& trace, const HostActivity& activity) {
  std::vector<AwaitedInput> found;
  const TrackId loop = activity.python_thread();
  if (!loop.valid()) return found;
  const Track& thread = trace.track(loop);
  const auto end = [&](EventIndex event) { return activity.end(thread, {loop, event}); };
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& other = trace.tracks()[t];
    if (other.info().kind != TrackKind::kThread || TrackId(t) == loop) continue;
    const auto is_input = [&](EventIndex event) {
      return event.valid() && activity.work({TrackId(t), event}) == HostWork::kInput;
    };
    for (size_t i = 0; i < other.size(); ++i) {
      const EventIndex event(i);
      if (!is_input(event) || is_input(other.parent(event))) continue;
      const Ps done = other.end(event);
      const Standstill still = StandstillAt(thread, done, end);
      const EventRef in = still.in.valid() ? EventRef{loop, still.in} : EventRef();
      if (!WokeFor(done, still.time.begin, still.time.end) || !activity.SaysNothing(trace, in)) continue;
      found.push_back({{std::max(still.time.begin, other.begin(event)), done}, {TrackId(t), event}});
    }
  }
  std::ranges::sort(found, {}, [](const AwaitedInput& awaited) { return awaited.time.end; });
  for (size_t i = 1; i < found.size(); ++i) {
    found[i].time.begin = std::max(found[i].time.begin, found[i - 1].time.end);
  }
  std::erase_if(found, [](const AwaitedInput& awaited) { return awaited.time.empty(); });
  return found;
}

}  // namespace

const std::vector<AwaitedInput>& AwaitedInputOf(const HostView& view) {
  return view.memo->Get<std::vector<AwaitedInput>>(
      [&] { return FindAwaitedInput(view.trace(), ActivityOf(view)); });
}

}  // namespace gait::analyze

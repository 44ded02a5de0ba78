#include "gait/analyze/question/idle/host_scene.h"

#include <algorithm>
#include <array>

#include "gait/analyze/view/inferred_waits.h"
#include "gait/analyze/vocabulary/python_frames.h"

namespace gait::analyze {

HostScene SceneAt(const HostView& view, const HostActivity& activity, TrackId launching, Interval interval) {
  const Trace& trace = view.trace();
  std::array<StringId, kHostKinds> best;
  StringId user;
  const auto look = [&](TrackId id, bool annotations, bool runtime) {
    if (!id.valid()) return;
    const Track& thread = trace.track(id);
    const auto offer = [&](EventIndex event) {
      HostKind kind = activity.kind({id, event});
      const std::string_view text = trace.text(thread.name(event));
      if (kind == HostKind::kProfiler && text.starts_with('$')) return;  // what it does stands around it
      if (kind == HostKind::kStep) kind = HostKind::kAnnotation;
      if (kind == HostKind::kOperation || kind == HostKind::kProfiler) kind = HostKind::kRuntime;
      if (kind == HostKind::kRuntime ? !runtime : !annotations) return;
      const Interval time = activity.time(thread, {id, event});
      const Ps overlap = std::min(time.end, interval.end) - std::max(time.begin, interval.begin);
      // In order of begin, so the innermost comes last.
      if (overlap <= Ps() || overlap < interval.length() - overlap) return;
      StringId& name = best[static_cast<size_t>(kind)];
      if (!name.valid() || !IsBareWait(text)) name = thread.name(event);
      if (kind == HostKind::kPython && IsUserFrame(text)) user = thread.name(event);
    };
    const EventIndex first = thread.LowerBound(interval.begin);
    std::vector<EventIndex> around;
    for (EventIndex e = first.value > 0 ? EventIndex(first.value - 1) : EventIndex(); e.valid();
         e = thread.around(e)) {
      around.push_back(e);
    }
    for (size_t i = around.size(); i-- > 0;) offer(around[i]);
    for (size_t i = first.value; i < thread.size() && thread.begin(EventIndex(i)) < interval.end; ++i) {
      offer(EventIndex(i));
    }
  };
  const TrackId python =
      launching.valid() && activity.runs_python(launching) ? launching : activity.python_thread();
  look(launching, launching == python, true);
  const StringId runtime = best[static_cast<size_t>(HostKind::kRuntime)];
  if (launching != python) look(python, true, !runtime.valid());
  ForEachAwaited(AwaitedInputOf(view), interval, [&](Interval time, const AwaitedInput* input) {
    if (input == nullptr || time.length() * 2 < interval.length()) return;
    const size_t kind = static_cast<size_t>(activity.kind(input->by));
    best[kind] = trace.track(input->by.track).name(input->by.index);
  });
  return {best[static_cast<size_t>(HostKind::kAnnotation)], best[static_cast<size_t>(HostKind::kPython)],
          user, best[static_cast<size_t>(HostKind::kRuntime)]};
}

}  // namespace gait::analyze

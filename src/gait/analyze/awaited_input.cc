#include "gait/analyze/awaited_input.h"

#include <algorithm>

#include "gait/analyze/standstill.h"
#include "gait/analyze/view.h"

namespace gait::analyze {
namespace {

// Whether a thread that stood still went on when input was there, once `get` of a queue had come back.
bool WentOn(Interval still, Ps done) {
  constexpr Ps kMost = Milliseconds(1);
  const Ps stood = done - still.begin;
  return stood >= kMostLaunchDelay &&
         still.end - done <= std::max(kMostLaunchDelay, std::min(kMost, stood / 10));
}

// The input that threads other than the loop's make, in order of end.
std::vector<AwaitedInput> InputOfOthers(const Trace& trace, const HostActivity& activity, TrackId loop) {
  std::vector<AwaitedInput> found;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& thread = trace.tracks()[t];
    if (thread.info().kind != TrackKind::kThread || TrackId(t) == loop) continue;
    const auto is_input = [&](EventIndex event) {
      return event.valid() && activity.work({TrackId(t), event}) == HostWork::kInput;
    };
    for (size_t i = 0; i < thread.size(); ++i) {
      const EventIndex event(i);
      if (!is_input(event) || is_input(thread.parent(event))) continue;
      found.push_back({thread.interval(event), {TrackId(t), event}});
    }
  }
  std::ranges::sort(found, {}, [](const AwaitedInput& input) { return input.time.end; });
  return found;
}

std::vector<AwaitedInput> FindAwaitedInput(const HostView& view, const HostActivity& activity) {
  const Trace& trace = view.trace();
  const TrackId loop = activity.python_thread();
  if (!loop.valid()) return {};
  const std::vector<AwaitedInput> inputs = InputOfOthers(trace, activity, loop);
  if (inputs.empty()) return {};
  const auto device_works = [&](Ps t) {
    return std::ranges::any_of(view.times, [&](const DeviceTime& device) {
      const auto busy = std::ranges::upper_bound(device.busy(), t, {}, &Interval::end);
      return busy != device.busy().end() && busy->begin <= t;
    });
  };
  const Track& thread = trace.track(loop);
  const auto end = [&](EventIndex event) { return activity.end(thread, {loop, event}); };
  std::vector<AwaitedInput> found;
  size_t others = 0;    // standstills that input ended in and did not end
  Ps seen = -kMaxTime;  // the end of the last one
  for (const AwaitedInput& input : inputs) {
    const Ps done = input.time.end;
    if (done < seen || device_works(done)) continue;
    const Standstill still = StandstillAt(thread, done, end);
    const EventRef in = still.in.valid() ? EventRef{loop, still.in} : EventRef();
    if (still.time.length() < kMostLaunchDelay || !activity.SaysNothing(trace, in)) continue;
    // Only the first: a loop that waited would have gone on with that.
    seen = still.time.end;
    if (WentOn(still.time, done)) {
      found.push_back({{std::max(still.time.begin, input.time.begin), done}, input.by});
    } else {
      ++others;
    }
  }
  if (found.size() <= others) found.clear();
  return found;
}

}  // namespace

const std::vector<AwaitedInput>& AwaitedInputOf(const HostView& view) {
  return view.memo->Get<std::vector<AwaitedInput>>([&] { return FindAwaitedInput(view, ActivityOf(view)); });
}

}  // namespace gait::analyze

#include "gait/analyze/view/inferred_waits.h"

#include <algorithm>
#include <cmath>

#include "gait/analyze/host/host_activity.h"
#include "gait/analyze/host/thread_quiet.h"
#include "gait/analyze/time/interval_prefix_sum.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {
namespace {

// What the scheduler of a busy machine gives other programs first: 5.7 ms were seen.
constexpr Ps kSlices = Milliseconds(8);

// How long after input was there a thread that stood still for it goes on, at most: `get` of a queue has to
// come back, and a processor has to be free.
Ps MostDelay(Ps stood) { return std::max(kMostLaunchDelay, std::min(kSlices, stood / 4)); }

// How surprising the ends of standstills are if nobody waited for input: each of the inputs that ended in one
// then ended anywhere in it. -ln of that chance is 1 in the mean; no single one may decide.
class Surprise {
 public:
  void Add(Ps delay, Ps still, size_t inputs) {
    const double chance =
        static_cast<double>(inputs) * static_cast<double>(delay.value()) / static_cast<double>(still.value());
    sum_ += std::clamp(-std::log(chance), 0.0, kMost);
    ++count_;
  }

  // By chance in less than one of a hundred captures, and not by a small effect seen often.
  bool great() const { return sum_ >= std::max(2 * count_, count_ + 2.5 * std::sqrt(count_) + 1.1); }

 private:
  static constexpr double kMost = 5;

  double sum_ = 0;
  double count_ = 0;
};

// The input that threads other than the loop's make, in order of end. A thread that brings it to the device
// right away, and waits for that, is done with it then.
std::vector<AwaitedInput> InputOfOthers(const Trace& trace, const HostActivity& activity, TrackId loop) {
  std::vector<AwaitedInput> found;
  for (size_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& thread = trace.tracks()[t];
    if (thread.info().kind != TrackKind::kThread || TrackId(t) == loop) continue;
    const auto is = [&](EventIndex event, HostWork work) {
      return event.valid() && activity.work({TrackId(t), event}) == work;
    };
    const size_t before = found.size();
    for (size_t i = 0; i < thread.size(); ++i) {
      const EventIndex event(i);
      const Interval time = activity.time(thread, {TrackId(t), event});
      if (is(event, HostWork::kInput) && !is(thread.parent(event), HostWork::kInput)) {
        found.push_back({time, {TrackId(t), event}});
      } else if ((is(event, HostWork::kStaging) || is(event, HostWork::kSync)) && found.size() > before) {
        Interval& input = found.back().time;
        // Python has to get there first.
        if (time.begin - input.end <= std::max(Milliseconds(1), input.length() / 10))
          input.end = std::max(input.end, time.end);
      }
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
  Surprise surprise;
  for (size_t i = 0, next = 0; i < inputs.size(); i = next) {
    const Quiet still = QuietAt(thread, inputs[i].time.end, end);
    AwaitedInput last = inputs[i];
    for (next = i + 1; next < inputs.size() && inputs[next].time.end < still.time.end; ++next) {
      const Ps begin = std::min(last.time.begin, inputs[next].time.begin);
      last = {{begin, inputs[next].time.end}, inputs[next].by};
    }
    const EventRef in = still.in.valid() ? EventRef{loop, still.in} : EventRef();
    const Ps stood = last.time.end - still.time.begin;
    if (stood < kMostLaunchDelay || device_works(last.time.end) || !activity.SaysNothing(trace, in)) continue;
    const Ps delay = still.time.end - last.time.end;
    surprise.Add(delay, still.time.length(), next - i);
    if (delay > MostDelay(stood)) continue;
    found.push_back({{std::max(still.time.begin, last.time.begin), last.time.end}, last.by});
  }
  if (!surprise.great()) found.clear();
  return found;
}

AwaitedResults FindAwaitedResults(const HostView& view, const HostActivity& activity) {
  AwaitedResults found;
  const TrackId loop = activity.python_thread();
  if (!loop.valid() || view.devices.size() < 2) return found;
  IntervalSet working;
  for (const DeviceTime& device : view.times) working = Union(working, device.busy());
  const IntervalPrefixSum busy(std::move(working));
  const Track& thread = view.trace().track(loop);
  const auto end = [&](EventIndex event) { return activity.end(thread, {loop, event}); };
  for (const Interval work : busy.set()) {
    const Quiet still = QuietAt(thread, work.end, end);
    const Interval waited{still.time.begin, work.end};
    const EventRef in = still.in.valid() ? EventRef{loop, still.in} : EventRef();
    if (!WokeFor(work.end, still.time.begin, still.time.end) || !activity.SaysNothing(view.trace(), in))
      continue;
    if (busy.Inside(waited) * 2 >= waited.length()) Append(found.times, waited);
  }
  return found;
}

}  // namespace

const AwaitedResults& AwaitedResultsOf(const HostView& view) {
  return view.memo->Get<AwaitedResults>([&] { return FindAwaitedResults(view, ActivityOf(view)); });
}

const std::vector<AwaitedInput>& AwaitedInputOf(const HostView& view) {
  return view.memo->Get<std::vector<AwaitedInput>>([&] { return FindAwaitedInput(view, ActivityOf(view)); });
}

}  // namespace gait::analyze

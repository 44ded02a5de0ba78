#include "gait/analyze/question/path/critical_path.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "gait/analyze/host/projections.h"
#include "gait/analyze/host/thread_quiet.h"
#include "gait/analyze/question/path/callbacks.h"
#include "gait/analyze/question/path/host_crossings.h"
#include "gait/analyze/question/path/path_events.h"
#include "gait/analyze/question/path/work_chain.h"
#include "gait/analyze/view/inferred_waits.h"
#include "gait/analyze/view/peers.h"
#include "gait/analyze/view/step_segments.h"
#include "gait/analyze/vocabulary/host_names.h"

namespace gait::analyze {
namespace {

constexpr uint32_t kNoHost = 0xffffffff;

PathClass ClassOf(WorkClass work) {
  switch (work) {
    case WorkClass::kCompute:
    case WorkClass::kControl:
      return PathClass::kCompute;
    case WorkClass::kCommunication:
      return PathClass::kCommunication;
    case WorkClass::kCopy:
      return PathClass::kCopies;
    case WorkClass::kUnknown:
      return PathClass::kUnknown;
  }
  return PathClass::kUnknown;
}

// What ran innermost on a thread just before a time, and since when.
struct HostStretch {
  Ps begin = -kMaxTime;
  EventIndex event;  // invalid: nothing
};
// `before` is where events begin at `time` or later, and is moved there.
HostStretch StretchBefore(const Trace& trace, TrackId id, const HostActivity& activity, Ps time,
                          EventIndex& before) {
  const Track& thread = trace.track(id);
  const EventIndex after = before = thread.LowerBound(time, before);
  if (after.value == 0) return {};
  EventIndex event(after.value - 1);
  if (activity.end(thread, {id, event}) >= time) return {thread.begin(event), event};
  Ps begin = thread.end(event);
  for (event = thread.around(event); event.valid() && thread.end(event) < time;
       event = thread.around(event)) {
    begin = std::max(begin, thread.end(event));
  }
  return {begin, event};
}

}  // namespace

struct PathFinder::Impl {
  struct Host {
    const HostView& view;
    const HostActivity& activity;
    Peers peers;
    const std::vector<AwaitedInput>* inputs;
    std::vector<WorkChain> chains;  // by device
    Ps axis;                        // added to its times: those of the walk
  };
  std::vector<Host> hosts{};
  std::optional<HostCrossings> crossings{};  // where there are several hosts

  void Add(const HostView& view, const HostActivity& activity, Ps axis) {
    Host& host = hosts.emplace_back(Host{view, activity, Peers(view), &AwaitedInputOf(view), {}, axis});
    host.chains.reserve(view.work.size());
    for (size_t d = 0; d < view.work.size(); ++d) {
      host.chains.emplace_back(view.trace(), view.devices[d], view.work[d]);
    }
  }

  // Who began a collective last, on its host's clock. nullopt where that is not known.
  std::optional<HostCrossings::Last> LastToBegin(size_t host, size_t device, const WorkItem& item) const {
    if (crossings) {
      if (const auto last = crossings->Find(host, device, item.time.begin)) return last;
    }
    const auto last = hosts[host].peers.Find(device, item.event);
    if (!last) return std::nullopt;
    return HostCrossings::Last{host, last->device, last->begin};
  }

  // One walk: where it is. Times are those of the first host's axis. Calls found(part) for each part.
  template <typename Found>
  struct Walker {
    const Impl& in;
    Interval time;
    Ps at;
    Found found;
    size_t host = 0;
    // On the device: the work whose end, or a time in it, the path has reached.
    size_t device = 0;
    uint32_t work = WorkChain::kNone;
    // Of host and device, at hand because every step asks for them: see GoTo.
    const Host* here = nullptr;
    const WorkChain* chain = nullptr;
    size_t* cursor = nullptr;
    bool on_cpu = false;
    // On the host: the thread; invalid while on a device.
    TrackId thread{};
    EventIndex reached{};  // an event of the thread that does not begin before `at`, or its number of events
    std::vector<std::vector<size_t>> cursors{};  // by host and device, in its chain

    const Host& Here() const { return *here; }
    const WorkChain& Chain() const { return *chain; }
    Ps Own(Ps t) const { return t - Here().axis; }  // on the host's own clock
    Ps OnAxis(Ps own) const { return own + Here().axis; }

    void GoTo(size_t to_host, size_t to_device) {
      host = to_host;
      device = to_device;
      here = &in.hosts[host];
      chain = &here->chains[device];
      cursor = &cursors[host][device];
      on_cpu = IsCpu(here->view.trace(), here->view.devices[device]);
    }

    void Add(Ps begin, PathClass c, EventRef event) { AddInline(begin, c, event); }
    // For where nearly all parts come from.
    [[gnu::always_inline]] void AddInline(Ps begin, PathClass c, EventRef event) {
      begin = std::max(begin, time.begin);
      if (begin >= at) return;
      found(PathPart{{begin, at}, c, event, static_cast<uint32_t>(host)});
      at = begin;
    }
    const Track& TrackOf(EventRef event) const { return Here().view.trace().track(event.track); }
    Ps Begin(EventRef event) const { return OnAxis(TrackOf(event).begin(event.index)); }
    Ps End(EventRef event) const { return OnAxis(TrackOf(event).end(event.index)); }
    Ps Begin(uint32_t piece) const { return OnAxis(Chain().time(piece).begin); }
    Ps End(uint32_t piece) const { return OnAxis(Chain().time(piece).end); }

    void Run(size_t on_host, size_t on_device) {
      for (const Host& of : in.hosts) cursors.emplace_back(of.chains.size(), WorkChain::kNoCursor);
      GoTo(on_host, on_device);
      work = Chain().LastEnded(Own(time.end), *cursor);
      if (work == WorkChain::kNone) return Add(time.begin, PathClass::kUnknown, {});
      // A step that lasts until other work begins, on whatever device, ends with what that waited for.
      if (End(work) < at && !GoToBegun()) Add(End(work), PathClass::kUnknown, {});
      while (at > time.begin) {
        if (thread.valid()) {
          StepHost();
        } else {
          FollowDevice();
        }
      }
    }

    // To work that begins now, on this device before others of the host; false: there is none.
    bool GoToBegun() {
      for (size_t i = 0; i < Here().chains.size(); ++i) {
        const size_t d = (device + i) % Here().chains.size();
        const uint32_t begun = Here().chains[d].FindBegun(Own(at));
        if (begun == WorkChain::kNone) continue;
        GoTo(host, d);
        work = begun;
        return true;
      }
      return false;
    }

    // From within a collective to the device that began it last, if one did after this.
    void JoinLast() {
      const auto last = in.LastToBegin(host, device, Chain()[work]);
      if (!last) return;
      const Ps begin = last->begin + in.hosts[last->host].axis;
      const uint32_t there = in.hosts[last->host].chains[last->device].FindCollective(last->begin);
      if (there == WorkChain::kNone || begin <= Begin(work) || begin >= at) return;
      Add(begin, PathClass::kCommunication, Chain()[work].event);
      GoTo(last->host, last->device);
      work = there;
    }

    // From within a piece of work to what it waited for, until that is a call of the host.
    void FollowDevice() {
      while (at > time.begin) {
        const bool callback = on_cpu && IsCallback(Here().view.trace(), Chain()[work]);
        const PathClass c = callback ? PathClass::kHost : ClassOf(Chain()[work].work);
        if (c == PathClass::kCommunication) JoinLast();
        const WorkItem& item = Chain()[work];
        AddInline(OnAxis(item.time.begin), c, item.event);
        if (at <= time.begin) return;
        const uint32_t before = Chain().Before(work, *cursor);
        const bool any = before != WorkChain::kNone;
        const Ps ready = any ? std::min(OnAxis(Chain().time(before).end), at) : -kMaxTime;
        if (item.first && LaunchBinds(item.call, ready)) {
          // No launch takes that long: something held the work that the capture does not show.
          if (at - End(item.call) > kMostLaunchDelay) Add(End(item.call), PathClass::kUnknown, EventRef());
          Add(Begin(item.call), PathClass::kLaunch, item.call);
          thread = item.call.track;
          reached = item.call.index;
          return;
        }
        if (ready < at) {
          const bool known = any && (item.has_call() || at - ready <= kMostKernelGap);
          Add(ready, known ? PathClass::kKernelGap : PathClass::kUnknown, known ? item.event : EventRef());
        }
        if (any) work = before;
      }
    }

    // Whether work that begins now waited for its launch, not for the work that was ready before.
    bool LaunchBinds(EventRef call, Ps ready) const {
      if (std::min(End(call), at) <= ready) return false;
      return End(call) <= at || Begin(call) > ready || at - ready > kMostKernelGap;
    }

    void StepHost() {
      const HostActivity& activity = Here().activity;
      HostStretch part = StretchBefore(Here().view.trace(), thread, activity, Own(at), reached);
      if (part.begin > -kMaxTime) part.begin = OnAxis(part.begin);
      const EventRef event = part.event.valid() ? EventRef{thread, part.event} : EventRef();
      if (!part.event.valid()) {
        // A worker rests for a moment within a task; before it, it had none, and the Python thread gave it
        // this.
        const TrackId python = activity.python_thread();
        if (python.valid() && thread != python && at - part.begin > kMostLaunchDelay) {
          thread = python;
          reached = EventIndex(Here().view.trace().track(python).size());
          return;
        }
      }
      PathClass c = PathClass::kHost;
      if (part.event.valid())
        c = activity.launches(event) ? PathClass::kLaunch : ProjectionOf(activity.work(event)).path;
      const EventRef named = part.event.valid() && c != PathClass::kLaunch ? Deciding(event) : event;
      const bool silent =
          at - part.begin >= kMostLaunchDelay && activity.SaysNothing(Here().view.trace(), event);
      if (c == PathClass::kHostSync || silent) {
        const Ps awaited = FindAwaited();
        if (silent ? StoodStill({part.begin, awaited}) : awaited > part.begin) {
          Add(awaited, PathClass::kHostSync, named);
          thread = TrackId();
          return;
        }
      }
      if (silent && thread == activity.python_thread()) {
        if (const AwaitedInput* input = LastAwaited(Own(part.begin))) {
          Add(OnAxis(input->time.end), c, named);
          Add(std::max(part.begin, OnAxis(input->time.begin)), PathClass::kInput, input->by);
          return;
        }
      }
      Add(part.begin, c, named);
    }

    // The last input of another thread that the host waited for from then until now; null: none.
    const AwaitedInput* LastAwaited(Ps since) const {
      const std::vector<AwaitedInput>& all = *Here().inputs;
      const auto after = std::ranges::lower_bound(all, Own(at), {},
                                                  [](const AwaitedInput& input) { return input.time.begin; });
      return after != all.begin() && std::prev(after)->time.end > since ? &*std::prev(after) : nullptr;
    }

    // The last work of the host's devices that has ended: where the path goes on if the host waited for it.
    Ps FindAwaited() {
      Ps awaited = -kMaxTime;
      for (size_t d = 0; d < Here().chains.size(); ++d) {
        const uint32_t ended = Here().chains[d].LastEnded(Own(at), cursors[host][d]);
        if (ended == WorkChain::kNone || OnAxis(Here().chains[d].time(ended).end) <= awaited) continue;
        awaited = OnAxis(Here().chains[d].time(ended).end);
        GoTo(host, d);
        work = ended;
      }
      return awaited;
    }

    // Whether the thread, on which nothing happened until now, waited for what ended at the end of `still`:
    // the device, or several together, worked for half of the time or more.
    bool StoodStill(Interval still) const {
      if (still.begin == -kMaxTime || !WokeFor(still.end, still.begin, at)) return false;
      const Interval own{Own(still.begin), Own(still.end)};
      const IntervalSet& results = AwaitedResultsOf(Here().view).times;
      const auto after = std::ranges::lower_bound(results, own.end, {}, &Interval::end);
      if (after != results.end() && after->begin <= own.begin) return true;
      const IntervalSet& busy = Here().view.times[device].busy();
      Ps worked;
      for (auto b = std::ranges::upper_bound(busy, own.begin, {}, &Interval::end);
           b != busy.end() && b->begin < own.end; ++b) {
        worked += std::min(b->end, own.end) - std::max(b->begin, own.begin);
      }
      return worked * 2 >= own.length();
    }

    // The outermost event around one that stands for the same work: what the part is called.
    EventRef Deciding(EventRef event) const {
      const HostWork work_of = Here().activity.work(event);
      if (work_of == HostWork::kNone) return event;
      const Track& track = TrackOf(event);
      for (EventIndex p = track.parent(event.index); p.valid(); p = track.parent(p)) {
        if (Here().activity.work({event.track, p}) != work_of) break;
        event.index = p;
      }
      return event;
    }
  };

  template <typename Found>
  void Walk(size_t device, Interval time, size_t host, Found found) const {
    const Ps axis = hosts[host].axis;
    Walker<Found> walker{*this, {time.begin + axis, time.end + axis}, time.end + axis, std::move(found)};
    walker.Run(host, device);
  }
};

PathFinder::PathFinder(const HostView& view, const HostActivity& activity) : impl_(new Impl) {
  impl_->Add(view, activity, Ps());
}
PathFinder::PathFinder(const RunView& view) : impl_(new Impl) {
  if (view.hosts.size() > 1) impl_->crossings.emplace(view);
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    impl_->Add(view.hosts[h], ActivityOf(view.hosts[h]), impl_->crossings ? impl_->crossings->axis(h) : Ps());
  }
}
PathFinder::~PathFinder() = default;

void PathFinder::Walk(size_t device, Interval time, size_t host, std::vector<PathPart>& parts) const {
  const Ps axis = impl_->hosts[host].axis;
  parts.clear();
  impl_->Walk(device, time, host, [&](PathPart part) {
    part.time = {part.time.begin - axis, part.time.end - axis};
    parts.push_back(part);
  });
}

void PathFinder::Sum(size_t device, Interval time, size_t host, TimeByClass& by,
                     std::vector<PathEvents>& names) const {
  PathClass last = PathClass::kUnknown;
  EventRef last_event;
  uint32_t last_host = kNoHost;
  // Inline, so that no part is ever written to memory.
  impl_->Walk(device, time, host, [&](const PathPart& part) __attribute__((always_inline)) {
    by[Index(part.in)] += part.time.length();
    names[part.host].Add(part.in, part.event, part.time.length(),
                         last_event == part.event && last == part.in && last_host == part.host);
    last = part.in;
    last_event = part.event;
    last_host = part.host;
  });
}

IntervalPrefixSum PathFinder::JoinedCommunication(size_t device, size_t host) const {
  const Impl::Host& of = impl_->hosts[host];
  if (!of.chains[device].communicates()) return IntervalPrefixSum();
  std::vector<Interval> joined;
  for (const WorkItem& item : of.view.work[device]) {
    if (item.work != WorkClass::kCommunication) continue;
    const auto last = impl_->crossings ? impl_->crossings->Find(host, device, item.time.begin)
                                       : impl_->LastToBegin(host, device, item);
    if (!last) continue;
    const Ps begin = last->begin + impl_->hosts[last->host].axis - of.axis;
    joined.push_back({std::max(begin, item.time.begin), item.time.end});
  }
  return IntervalPrefixSum(Normalize(std::move(joined)));
}

Ps StepPath::Without(std::initializer_list<PathClass> classes) const {
  Ps rest = length;
  DeviceTotals work = device_work;
  for (const PathClass c : classes) {
    rest -= by[Index(c)];
    if (c == PathClass::kCompute) work.compute = Ps();
    if (c == PathClass::kCommunication) work.communication = Ps();
    if (c == PathClass::kCopies) work.copies = Ps();
  }
  return std::max(rest, work.PerfectOverlap());
}

namespace {

// Of one host after the other: names of what lies on a path are those of the host that did it.
void AddPaths(const PathFinder& finder, size_t host, HostPath& result, std::vector<PathEvents>& names) {
  const HostView& view = *result.view;
  for (size_t d = 0; d < view.devices.size(); ++d) {
    const IntervalPrefixSum communication = finder.JoinedCommunication(d, host);
    const IntervalPrefixSum callbacks = OnlyCallbacks(view, d);
    for (const StepSegment& segment : StepSegments(view, d)) {
      const Partition split = view.times[d].Split(segment.time);
      // A program that runs several times in a step has as many segments of it.
      if (result.paths.empty() || result.paths.back().device != d ||
          result.paths.back().step != segment.step) {
        result.paths.push_back({segment.step, d, segment.time, {}, {}, {}});
      }
      StepPath& path = result.paths.back();
      path.time.end = segment.time.end;
      path.length += segment.time.length();
      path.device_work.compute += split.compute - callbacks.Inside(segment.time);
      path.device_work.communication += communication.Inside(segment.time);
      path.device_work.copies += split.exposed_copies + split.hidden_copies;
      finder.Sum(d, segment.time, host, path.by, names);
    }
  }
}

}  // namespace

HostPath FindPaths(const HostView& view, const HostActivity& activity) {
  const PathFinder finder(view, activity);
  HostPath result{&view, {}, {}};
  std::vector<PathEvents> names;
  names.emplace_back(view.trace());
  AddPaths(finder, 0, result, names);
  result.events = std::move(names[0]).Take();
  return result;
}

std::vector<HostPath> FindPaths(const RunView& view) {
  const PathFinder finder(view);
  std::vector<HostPath> result;
  std::vector<PathEvents> names;
  for (const HostView& host : view.hosts) names.emplace_back(host.trace());
  for (size_t h = 0; h < view.hosts.size(); ++h) {
    AddPaths(finder, h, result.emplace_back(HostPath{&view.hosts[h], {}, {}}), names);
  }
  for (size_t h = 0; h < view.hosts.size(); ++h) result[h].events = std::move(names[h]).Take();
  return result;
}

}  // namespace gait::analyze

#include "gait/timeline/links.h"

#include <algorithm>
#include <array>

namespace gait::timeline {
namespace {

std::optional<SliceRef> RefOf(const Book& book, const Trace& trace, EventRef event) {
  const TimelineTrack* track = book.Find(trace, event.track);
  if (track == nullptr) return std::nullopt;
  return SliceRef{track->events().begin(event.index), track->id, event.index.value};
}

void AddAll(const Book& book, const Trace& trace, const std::vector<EventRef>& events,
            std::vector<SliceRef>& out) {
  for (const EventRef event : events) {
    if (const auto ref = RefOf(book, trace, event)) out.push_back(*ref);
  }
}

// The device of the view whose group the track is in.
struct DeviceOf {
  const analyze::HostView* host = nullptr;
  size_t device = 0;
};
std::optional<DeviceOf> FindDevice(const analyze::RunView& view, const Timeline& timeline,
                                   const TimelineTrack& track) {
  const analyze::HostView& host = view.hosts[track.host];
  for (size_t d = 0; d < host.devices.size(); ++d) {
    if (timeline.GroupOf(track.host, host.devices[d].plane) == track.group) return DeviceOf{&host, d};
  }
  return std::nullopt;
}

// The work that began when the idle time was over: the first at or behind its end.
void AddEndOfIdle(const Book& book, const analyze::RunView& view, const TimelineTrack& track, Ps end,
                  Links& links) {
  const analyze::HostView& host = view.hosts[track.host];
  const auto begin = [](const analyze::WorkItem& item) { return item.time.begin; };
  for (size_t d = 0; d < host.devices.size(); ++d) {
    const TimelineTrack* any = nullptr;
    for (const TrackId id : host.devices[d].work) {
      if (any == nullptr) any = book.Find(host.trace(), id);
    }
    if (any == nullptr || any->group != track.group) continue;
    auto at = std::ranges::lower_bound(host.work[d], end, {}, begin);
    while (at != host.work[d].end() && at->time.empty()) ++at;
    if (at == host.work[d].end()) return;
    if (const auto ref = RefOf(book, host.trace(), at->event)) links.effects.push_back(*ref);
    if (at->has_call()) {
      if (const auto ref = RefOf(book, host.trace(), at->call)) links.causes.push_back(*ref);
    }
  }
}

// The same execution on the other devices.
void AddPeers(const Book& book, const TimelineTrack& track, EventIndex event, Links& links) {
  const auto key = [](const TimelineTrack& of, EventIndex e) {
    std::array<std::optional<int64_t>, 3> parts;
    constexpr std::string_view kKeys[] = {"collective", "run_id", "execution"};
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = of.trace->Integer({of.track, e}, kKeys[i]);
    return parts;
  };
  const auto wanted = key(track, event);
  for (const TimelineTrack* other : book.tracks) {
    if (!other->derived || other->type != track.type || other->id == track.id) continue;
    for (size_t i = 0; i < other->events().size(); ++i) {
      if (key(*other, EventIndex(i)) != wanted) continue;
      links.effects.push_back({other->events().begin(EventIndex(i)), other->id, static_cast<uint32_t>(i)});
    }
  }
}

}  // namespace

Links FindLinks(const Book& book, const analyze::RunView& view, SliceRef slice,
                const std::function<const FlowIndex&(size_t host)>& flows) {
  const TimelineTrack& track = *book.tracks[slice.track];
  const EventIndex event(slice.event);
  Links links;
  const auto on_track = [&](EventIndex other) -> std::optional<SliceRef> {
    if (!other.valid()) return std::nullopt;
    return SliceRef{track.events().begin(other), track.id, other.value};
  };
  const auto [before, after] = track.rows->Lane(track.events().lane(event)).Beside(event);
  links.parent = on_track(track.events().parent(event));
  links.before = on_track(before);
  links.after = on_track(after);
  if (track.derived) {
    if (track.type == "idle") AddEndOfIdle(book, view, track, track.events().end(event), links);
    if (track.type == "collectives") AddPeers(book, track, event, links);
    return links;
  }
  const FlowIndex& index = flows(track.host);
  AddAll(book, *track.trace, index.Incoming({track.track, event}), links.causes);
  AddAll(book, *track.trace, index.Outgoing({track.track, event}), links.effects);
  // Operations of a CPU or TPU have no flow of their own; the host's call is known otherwise.
  if (links.causes.empty() && IsDeviceWork(track)) {
    for (const analyze::Device& device : view.hosts[track.host].devices) {
      if (std::ranges::find(device.work, track.track) == device.work.end()) continue;
      if (const auto call = view.hosts[track.host].launches.Call(device, track.track, event)) {
        AddAll(book, *track.trace, {*call}, links.causes);
      }
    }
  }
  return links;
}

std::optional<int64_t> StepOf(const Book& book, const Timeline& timeline, const analyze::RunView& view,
                              SliceRef slice) {
  const TimelineTrack& track = *book.tracks[slice.track];
  const analyze::HostView& host = view.hosts[track.host];
  if (host.series.empty()) return std::nullopt;
  const std::optional<DeviceOf> device = FindDevice(view, timeline, track);
  for (const analyze::Step& step : host.series.front().steps) {
    const Interval time = device ? step.time[device->device] : step.host_step;
    if (time.contains(slice.begin)) return step.number;
  }
  return std::nullopt;
}

}  // namespace gait::timeline

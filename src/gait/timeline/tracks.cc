#include "gait/timeline/tracks.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "gait/analyze/run/describe.h"

namespace gait::timeline {
namespace {

// Where the kinds of captured tracks stand in their group; derived ones are put between (derive.h).

// Hosts, and below each its planes that have tracks.
void AddGroups(Timeline& timeline) {
  std::set<std::string> keys;
  const auto unique = [&](const std::string& wanted) {
    std::string key = wanted;
    for (int n = 2; !keys.insert(key).second; ++n) key = fmt::format("{}#{}", wanted, n);
    return key;
  };
  for (size_t h = 0; h < timeline.run->hosts.size(); ++h) {
    const analyze::LoadedHost& host = timeline.run->hosts[h];
    const auto parent = static_cast<uint32_t>(timeline.groups.size());
    timeline.groups.push_back({unique(host.name), host.name, "", GroupKind::kHost, kNoGroup, h, {}});
    std::vector<uint32_t>& group_of = timeline.group_of.emplace_back(host.trace.planes().size(), kNoGroup);
    std::vector<bool> used(host.trace.planes().size());
    for (const Track& track : host.trace.tracks()) {
      if (track.size() > 0) used[track.info().plane.value] = true;
    }
    const auto add = [&](bool devices) {
      for (size_t p = 0; p < used.size(); ++p) {
        const Plane& plane = host.trace.planes()[p];
        if (!used[p] || plane.is_device() != devices) continue;
        std::string title = analyze::DeviceName(host.trace, plane);
        if (title == "host") title = "host threads";
        std::string detail = devices ? analyze::DeviceModel(host.trace, plane) : "";
        if (!devices && plane.process_id) detail = fmt::format("process {}", *plane.process_id);
        group_of[p] = static_cast<uint32_t>(timeline.groups.size());
        timeline.groups.push_back({unique(timeline.groups[parent].key + "/" + title), title, detail,
                                   devices ? GroupKind::kDevice : GroupKind::kProcess, parent, h,
                                   PlaneId(p)});
      }
    };
    add(true);
    add(false);
  }
}

}  // namespace

std::string_view Name(GroupKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"host", "device", "process"};
  return kNames[static_cast<size_t>(kind)];
}

Interval TimelineTrack::span() const {
  if (size() == 0) return {};
  return counter ? Interval{counter->points().front().time, counter->points().back().time} : events().span();
}

void TrackRows::MakeLanes() const {
  std::call_once(lanes_once_, [&] {
    if (track_.lanes() == 1) {
      lanes_.emplace_back(track_, names_, arena_);
    } else {
      lanes_ = SliceRow::Lanes(track_, names_, arena_);
    }
    lanes_made_ = true;
  });
}

void TrackRows::Make(bool merged) const {
  if (merged) {
    Merged();
  } else {
    MakeLanes();
  }
}

const SliceRow& TrackRows::Lane(uint32_t lane) const {
  MakeLanes();
  return lanes_[lane];
}

const SliceRow& TrackRows::Merged() const {
  if (track_.lanes() == 1) return Lane(0);
  std::call_once(merged_once_, [&] {
    merged_ = std::make_unique<SliceRow>(track_, names_, arena_);
    merged_made_ = true;
  });
  return *merged_;
}

void FinishTracks(TrackSet& set) {
  std::vector<TrackToName> to_name;
  std::vector<TimelineTrack*> slices;
  for (size_t i = 0; i < set.tracks.size(); ++i) {
    TimelineTrack& track = set.tracks[i];
    track.id = set.first_track + static_cast<uint32_t>(i);
    if (track.counter) continue;
    to_name.push_back({track.trace, track.track});
    slices.push_back(&track);
  }
  NamedTracks named = NameTracks(to_name, set.first_name, *set.arena);
  set.names = std::move(named.names);
  for (SliceName& name : set.names) name.track = slices[name.track]->id;
  for (size_t i = 0; i < slices.size(); ++i) {
    slices[i]->names = named.ids[i];
    slices[i]->rows = std::make_unique<TrackRows>(slices[i]->events(), named.ids[i], *set.arena);
  }
}

Timeline Timeline::Make(const analyze::LoadedRun& run) {
  Timeline timeline;
  timeline.run = &run;
  AddGroups(timeline);
  std::set<std::string> taken;
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    const Trace& trace = run.hosts[h].trace;
    for (size_t t = 0; t < trace.tracks().size(); ++t) {
      const Track& events = trace.tracks()[t];
      if (events.size() == 0 || events.info().kind == TrackKind::kAggregated) continue;
      TimelineTrack track;
      track.title = analyze::TrackName(trace, events);
      track.type = analyze::Name(events.info().kind);
      track.group = timeline.GroupOf(h, events.info().plane);
      track.order = kCapturedOrder;
      track.host = h;
      track.trace = &trace;
      track.track = TrackId(t);
      const std::string wanted = timeline.groups[track.group].key + "/" + track.title;
      track.key = wanted;
      for (int n = 2; !taken.insert(track.key).second; ++n) track.key = fmt::format("{}#{}", wanted, n);
      timeline.captured.tracks.push_back(std::move(track));
    }
  }
  FinishTracks(timeline.captured);
  bool any = false;
  for (const TimelineTrack& track : timeline.captured.tracks) {
    const Interval span = track.span();
    timeline.span =
        any ? Interval{std::min(timeline.span.begin, span.begin), std::max(timeline.span.end, span.end)}
            : span;
    any = true;
  }
  return timeline;
}

}  // namespace gait::timeline

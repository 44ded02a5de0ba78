#include "gait/timeline/derive/writer.h"

namespace gait::timeline {

std::string DerivedKey(const Group& group, std::string_view title) {
  return group.key + "//" + std::string(title);
}

DerivedWriter::DerivedWriter(const Timeline& timeline, size_t host) : timeline_(timeline), host_(host) {
  Plane plane;
  plane.name = builder_.Intern("derived");
  plane.kind = PlaneKind::kCustom;
  plane_ = builder_.AddPlane(plane);
}

TimelineTrack DerivedWriter::NewTrack(const DerivedTrack& what) const {
  TimelineTrack track;
  track.title = what.title;
  track.type = what.type;
  track.about = what.about;
  track.order = what.order;
  track.derived = true;
  track.host = host_;
  track.group = what.plane.valid() ? timeline_.GroupOf(host_, what.plane) : kNoGroup;
  if (track.group == kNoGroup) {
    // What belongs to no device is shown with the host itself.
    for (size_t g = 0; g < timeline_.groups.size(); ++g) {
      const Group& group = timeline_.groups[g];
      if (group.host == host_ && group.kind == GroupKind::kHost) track.group = static_cast<uint32_t>(g);
    }
  }
  track.key = DerivedKey(timeline_.groups[track.group], what.title);
  return track;
}

TrackWriter DerivedWriter::NewSlices(const DerivedTrack& what, Layout layout) {
  TrackInfo info;
  info.plane = plane_;
  info.name = builder_.Intern(what.title);
  info.layout = layout;
  info.derived = true;
  return builder_.NewTrack(info);
}

void DerivedWriter::AddSlices(const DerivedTrack& what, TrackWriter writer) {
  if (writer.size() == 0) return;
  TimelineTrack track = NewTrack(what);
  track.track = builder_.Add(std::move(writer));
  tracks_.push_back(std::move(track));
}

void DerivedWriter::AddCounter(const DerivedTrack& what, std::string unit,
                               const std::vector<CounterPoint>& points) {
  if (points.empty()) return;
  TimelineTrack track = NewTrack(what);
  track.counter = std::make_unique<Counter>(points);
  track.unit = std::move(unit);
  tracks_.push_back(std::move(track));
}

void DerivedWriter::Finish(Derived& derived) && {
  derived.traces.push_back(std::make_unique<Trace>(std::move(builder_).Finish()));
  for (TimelineTrack& track : tracks_) {
    track.trace = derived.traces.back().get();
    derived.set.tracks.push_back(std::move(track));
  }
}

}  // namespace gait::timeline

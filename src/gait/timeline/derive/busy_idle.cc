#include "gait/analyze/question/idle/gaps.h"
#include "gait/timeline/derive/writer.h"

namespace gait::timeline {

void DeriveBusyAndIdle(DerivedWriter& out, const analyze::HostView& host, size_t d) {
  const PlaneId plane = host.devices[d].plane;
  const DerivedTrack busy{plane, "busy", "busy", kBusyOrder, "When any work of the device ran."};
  TrackWriter writer = out.NewSlices(busy, Layout::kLanes);
  const StringId name = out.Intern("busy");
  for (const Interval& time : host.times[d].busy()) writer.Event(time.begin, time.length(), name);
  out.AddSlices(busy, std::move(writer));

  const DerivedTrack idle{plane, "idle", "idle", kIdleOrder, "When no work of the device ran, and why."};
  TrackWriter gaps = out.NewSlices(idle, Layout::kLanes);
  const StringId cause = out.Intern("cause");
  const StringId ended = out.Intern("ended by");
  const StringId call = out.Intern("launched by");
  for (const analyze::IdlePart& piece : analyze::FindIdleParts(host, d)) {
    gaps.Arg(cause, ArgValue::String(out.Intern(Name(piece.cause))));
    if (piece.ended_by.track.valid()) {
      gaps.Arg(ended, ArgValue::String(out.Intern(host.trace().name(piece.ended_by))));
    }
    if (piece.call.track.valid()) {
      gaps.Arg(call, ArgValue::String(out.Intern(host.trace().name(piece.call))));
    }
    gaps.Event(piece.time.begin, piece.time.length(), out.Intern(Describe(piece.cause)));
  }
  out.AddSlices(idle, std::move(gaps));
}

}  // namespace gait::timeline

#include <fmt/format.h>

#include "gait/timeline/derive/writer.h"

namespace gait::timeline {

void DeriveSteps(DerivedWriter& out, const analyze::HostView& host, size_t d) {
  const DerivedTrack what{host.devices[d].plane, "steps", "steps", kStepsOrder,
                          "Each step from the end of the one before it on this device to its own end."};
  TrackWriter writer = out.NewSlices(what, Layout::kLanes);
  for (const analyze::StepSeries& series : host.series) {
    for (const analyze::Step& step : series.steps) {
      const Interval time = step.time[d];
      if (time.empty()) continue;
      const auto flag = [&](const char* name, bool value) {
        if (value) writer.Arg(out.Intern(name), ArgValue::Int(1));
      };
      writer.Arg(out.Intern("step"), ArgValue::Int(step.number));
      writer.Arg(out.Intern("pieces of work"), ArgValue::Uint(step.events[d]));
      flag("first", step.begin_unknown());
      flag("partial", step.partial());
      flag("compiles", step.compiles);
      flag("outlier", step.outlier);
      flag("inferred", series.inferred());
      writer.Event(time.begin, time.length(), out.Intern(fmt::format("{} {}", series.name, step.number)));
    }
  }
  out.AddSlices(what, std::move(writer));
}

}  // namespace gait::timeline

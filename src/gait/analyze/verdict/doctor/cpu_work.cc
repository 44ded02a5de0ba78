#include "gait/analyze/verdict/doctor/cpu_work.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gait::analyze {
namespace {

struct CpuWork {
  IntervalSet times;
};

CpuWork FindCpuWork(const HostView& host) {
  const Trace& trace = host.trace();
  const auto operation = trace.strings().Find("hlo_op");
  const auto ordinal = trace.strings().Find("device_ordinal");
  if (!operation || !ordinal) return {};
  if (std::ranges::any_of(trace.planes(), [](const Plane& p) { return p.kind == PlaneKind::kCpuDevice; }))
    return {};
  std::vector<Interval> times;
  for (uint32_t t = 0; t < trace.tracks().size(); ++t) {
    const Track& track = trace.tracks()[t];
    if (track.info().kind != TrackKind::kThread) continue;
    for (uint32_t i = 0; i < track.size(); ++i) {
      const EventRef event{TrackId(t), EventIndex(i)};
      if (trace.FindArg(event, *ordinal) && trace.FindArg(event, *operation))
        times.push_back(track.interval(EventIndex(i)));
    }
  }
  return {Normalize(std::move(times))};
}

}  // namespace

const IntervalSet& CpuWorkOf(const HostView& host) {
  return host.memo->Get<CpuWork>([&] { return FindCpuWork(host); }).times;
}

}  // namespace gait::analyze

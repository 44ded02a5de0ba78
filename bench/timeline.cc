// timeline FILE | timeline --made EVENTS: how long the pictures of a timeline take, first and while panning
// and zooming through all depths, and what they cost in memory and bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "gait/analyze/run/loaded_run.h"
#include "gait/base/thread_pool.h"
#include "gait/read/xplane/reader.h"
#include "gait/timeline/tile.h"
#include "gait/timeline/tracks.h"
#include "gait/trace/trace_builder.h"

namespace {

using namespace gait;  // NOLINT(google-build-using-namespace): a program of one file

constexpr uint32_t kPixels = 1440;
constexpr size_t kTracks = 16;

// Of the wall clock; with GAIT_THREADS=1 of the processor, which a busy machine does not change.
template <typename F>
double Milliseconds(F f) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(DefaultThreads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  const double begin = now();
  f();
  return now() - begin;
}

// Streams of kernels that overlap, in bursts with gaps, over as much time as they need.
Trace Make(size_t events) {
  TraceBuilder builder;
  Plane plane;
  plane.name = builder.Intern("/device:GPU:0");
  plane.kind = PlaneKind::kGpu;
  const PlaneId id = builder.AddPlane(plane);
  std::vector<StringId> names;
  for (int i = 0; i < 2000; ++i) names.push_back(builder.Intern(fmt::format("fusion_{}", i)));
  std::mt19937_64 random(1);
  for (size_t t = 0; t < kTracks; ++t) {
    TrackInfo info;
    info.plane = id;
    info.id = static_cast<int64_t>(t);
    info.name = builder.Intern(fmt::format("Stream #{}", t));
    info.kind = TrackKind::kStream;
    info.layout = Layout::kLanes;
    TrackWriter writer = builder.NewTrack(info);
    writer.Expect(events / kTracks);
    int64_t at = 0;
    for (size_t i = 0; i < events / kTracks; ++i) {
      const uint64_t r = random();
      const auto duration = static_cast<int64_t>(500'000 + (r & 0xfffff));
      at += duration - static_cast<int64_t>((r >> 20) & 0x3ffff) + ((r >> 40) % 1000 == 0 ? 400'000'000 : 0);
      writer.Event(Ps(at), Ps(duration), names[(r >> 50) % names.size()]);
    }
    builder.Add(std::move(writer));
  }
  return std::move(builder).Finish();
}

}  // namespace

int main(int argc, char** argv) {
  const bool made = argc == 3 && std::string(argv[1]) == "--made";
  if (argc != 2 && !made) {
    std::fputs("usage: timeline FILE | timeline --made EVENTS\n", stderr);
    return 2;
  }
  analyze::LoadedRun run;
  if (made) {
    run.hosts.push_back({"host", "", Make(std::strtoull(argv[2], nullptr, 10))});
  } else if (auto trace = xplane::ReadFile(argv[1])) {
    run.hosts.push_back({"host", argv[1], std::move(*trace)});
  } else {
    return 3;
  }
  const auto events = static_cast<double>(run.hosts[0].trace.event_count());
  timeline::Timeline timeline;
  const double make = Milliseconds([&] { timeline = timeline::Timeline::Make(run); });
  timeline::TileRequest request;
  for (const timeline::TimelineTrack& track : timeline.captured.tracks)
    request.rows.push_back({&track, false});
  const auto look = [&](Ps begin, Ps width) {
    int level = 0;
    while ((int64_t{2} << level) * kPixels <= width.value() && level < timeline::kMaxLevel) ++level;
    const auto buckets =
        static_cast<uint32_t>(std::min<int64_t>((width.value() >> level) + 1, timeline::kMaxBuckets));
    request.window = {Ps(begin.value() >> level << level), level, buckets};
    return MakeTile(request).size();
  };
  const Interval span = timeline.span;
  const double first = Milliseconds([&] { look(span.begin, span.length()); });
  std::mt19937_64 random(2);
  std::vector<double> times;
  size_t largest = 0;
  for (Ps width = span.length(); width > Ps(kPixels); width = width / 2) {
    for (int i = 0; i < 12; ++i) {
      const int64_t room = std::max<int64_t>((span.length() - width).value(), 1);
      const Ps begin = span.begin + Ps(static_cast<int64_t>(random() % static_cast<uint64_t>(room)));
      times.push_back(Milliseconds([&] { largest = std::max(largest, look(begin, width)); }));
    }
  }
  std::ranges::sort(times);
  const auto at = [&](double part) {
    return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))];
  };
  const double bytes = static_cast<double>(MemoryOf(timeline.captured));
  fmt::print("  {:.0f} events on {} tracks\n", events, request.rows.size());
  fmt::print("  tracks and names{:>17.1f} ms\n", make);
  fmt::print("  first picture{:>20.1f} ms, {:.1f} ms after loading\n", first, make + first);
  fmt::print("  {} windows of all widths{:>9.2f} ms median, {:.2f} p95, {:.2f} at most\n", times.size(),
             at(0.5), at(0.95), times.back());
  fmt::print("  largest picture{:>18.0f} kB\n", static_cast<double>(largest) / 1e3);
  fmt::print("  memory{:>27.1f} bytes an event, besides {:.1f} of the trace\n", bytes / events,
             static_cast<double>(run.hosts[0].trace.memory()) / events);
  return 0;
}

#include "gait/analyze/question/idle/launch_stats.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gait/analyze/vocabulary/runtime_events.h"

namespace gait::analyze {
namespace {

constexpr size_t kKinds = 4;

struct Launch {
  Interval call;
  Ps begin;  // of the first piece of work
  uint64_t nodes;
  LaunchKind kind;
};

std::vector<Launch> LaunchesOf(const HostView& view, const std::vector<WorkItem>& work, size_t d) {
  const Trace& trace = view.trace();
  const bool gpu = trace.plane(view.devices[d].plane).kind == PlaneKind::kGpu;
  std::vector<bool> graphs(trace.strings().size());
  for (size_t i = 0; i < graphs.size(); ++i) {
    graphs[i] = Is(RuntimeCall::kGraphLaunch, trace.text(StringId(i)));
  }
  std::vector<Launch> launches;
  // Where a call's launch stands, by track and event of the call.
  std::vector<std::vector<uint32_t>> place(trace.tracks().size());
  EventRef last_call;
  uint32_t last = 0;
  for (const WorkItem& item : work) {
    if (!item.has_call()) continue;
    // The nodes of a graph follow each other.
    if (item.call == last_call) {
      ++launches[last].nodes;
      continue;
    }
    last_call = item.call;
    std::vector<uint32_t>& at = place[item.call.track.value];
    const Track& thread = trace.track(item.call.track);
    if (at.empty()) at.resize(thread.size());
    if (!item.first) {
      last = at[item.call.index.value];
      ++launches[last].nodes;
      continue;
    }
    LaunchKind kind = LaunchKind::kKernel;
    if (!gpu) {
      kind = LaunchKind::kProgram;
    } else if (graphs[thread.name(item.call.index).value]) {
      kind = LaunchKind::kGraph;
    } else if (item.work == WorkClass::kCopy) {
      kind = LaunchKind::kCopy;
    }
    at[item.call.index.value] = last = static_cast<uint32_t>(launches.size());
    launches.push_back({thread.interval(item.call.index), item.time.begin, 1, kind});
  }
  return launches;
}

// The smallest value that at least this share of the total reaches.
size_t Rank(double share, size_t count) {
  const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(count)));
  return std::clamp<size_t>(rank, 1, count) - 1;
}

Distribution DistributionOf(std::vector<Ps> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  Int128 sum = 0;
  for (const Ps value : values) sum += value.value();
  const auto at = [&](double share) { return values[Rank(share, values.size())]; };
  return {Ps(static_cast<int64_t>(sum / static_cast<Int128>(values.size()))), at(0.5), at(0.9), at(0.99),
          values.back()};
}

QueueDepth DepthOf(const std::vector<Launch>& launches, const IntervalSet& windows) {
  struct Change {
    Ps time;
    int64_t by;
  };
  std::vector<Change> changes;
  changes.reserve(launches.size() * 2);
  for (const Launch& launch : launches) {
    if (launch.begin <= launch.call.begin) continue;  // began at once
    changes.push_back({launch.call.begin, 1});
    changes.push_back({launch.begin, -1});
  }
  std::ranges::sort(changes, {}, &Change::time);
  std::vector<Ps> time_at;  // by depth
  QueueDepth queue;
  size_t next = 0;
  int64_t depth = 0;
  for (const Interval window : windows) {
    queue.window += window.length();
    Ps at = window.begin;
    const auto spend = [&](Ps until) {
      if (until <= at) return;
      if (time_at.size() <= static_cast<size_t>(depth)) time_at.resize(static_cast<size_t>(depth) + 1);
      time_at[static_cast<size_t>(depth)] += until - at;
      at = until;
    };
    for (; next < changes.size() && changes[next].time < window.end; ++next) {
      spend(changes[next].time);
      depth += changes[next].by;
    }
    spend(window.end);
  }
  Int128 weighted = 0;
  for (size_t i = 0; i < time_at.size(); ++i) weighted += static_cast<Int128>(i) * time_at[i].value();
  if (queue.window > Ps()) {
    queue.mean = static_cast<double>(weighted) / static_cast<double>(queue.window.value());
  }
  const auto quantile = [&](double share) {
    Int128 sum = 0;
    for (size_t i = 0; i < time_at.size(); ++i) {
      sum += time_at[i].value();
      if (static_cast<double>(sum) >= share * static_cast<double>(queue.window.value())) {
        return static_cast<int64_t>(i);
      }
    }
    return int64_t{0};
  };
  queue.p50 = quantile(0.5);
  queue.p90 = quantile(0.9);
  queue.p99 = quantile(0.99);
  queue.max = static_cast<int64_t>(time_at.size()) - (time_at.empty() ? 0 : 1);
  queue.empty = time_at.empty() ? Ps() : time_at[0];
  return queue;
}

bool Inside(const IntervalSet& windows, Ps time) {
  const auto after = std::ranges::upper_bound(windows, time, {}, &Interval::begin);
  return after != windows.begin() && std::prev(after)->contains(time);
}

}  // namespace

std::string_view Name(LaunchKind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {"kernel", "graph", "copy", "program"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<DeviceLaunches> FindLaunches(const HostView& view, const HostWorkItems& work) {
  std::vector<DeviceLaunches> devices;
  for (size_t d = 0; d < view.devices.size(); ++d) {
    const std::vector<Launch> launches = LaunchesOf(view, work[d], d);
    DeviceLaunches& device = devices.emplace_back();
    device.queue = DepthOf(launches, view.windows[d]);
    for (size_t k = 0; k < kKinds; ++k) {
      LaunchStats stats{static_cast<LaunchKind>(k), 0, 0, {}, {}};
      std::vector<Ps> calls;
      std::vector<Ps> delays;
      for (const Launch& launch : launches) {
        if (launch.kind != stats.kind || !Inside(view.windows[d], launch.begin)) continue;
        ++stats.launches;
        stats.nodes += launch.nodes;
        calls.push_back(launch.call.length());
        delays.push_back(std::max(Ps(), launch.begin - launch.call.end));
      }
      if (stats.launches == 0) continue;
      stats.call = DistributionOf(std::move(calls));
      stats.delay = DistributionOf(std::move(delays));
      device.kinds.push_back(stats);
    }
  }
  return devices;
}

}  // namespace gait::analyze

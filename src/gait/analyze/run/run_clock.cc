#include "gait/analyze/run/run_clock.h"

#include <optional>
#include <utility>

#include "gait/base/units.h"

namespace gait::analyze {
namespace {

// Far below kMaxTime, which the times of the events themselves need.
constexpr Ps kMostApart = kMaxTime / 2;

// By host: what its times are moved by; nullopt: nothing tells.
std::vector<std::optional<Ps>> Offsets(const LoadedRun& run) {
  std::optional<int64_t> first;
  for (const LoadedHost& host : run.hosts) {
    const std::optional<int64_t> start = host.trace.environment().start_unix_ns;
    if (start && *start > 0 && (!first || *start < *first)) first = start;
  }
  std::vector<std::optional<Ps>> offsets;
  for (const LoadedHost& host : run.hosts) {
    const int64_t start = host.trace.environment().start_unix_ns.value_or(0);
    const Ps offset = start > 0 ? ClampedSum(start - *first, 0).time : kMaxTime;
    offsets.push_back(offset <= kMostApart ? std::optional(offset) : std::nullopt);
  }
  return offsets;
}

}  // namespace

void PutOnRunClock(LoadedRun& run) {
  const std::vector<std::optional<Ps>> offsets = Offsets(run);
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    Trace& trace = run.hosts[h].trace;
    if (offsets[h] && *offsets[h] > Ps()) trace = std::move(trace).MovedBy(*offsets[h]);
  }
}

std::vector<std::string> HostsOnOwnClock(const LoadedRun& run) {
  std::vector<std::string> names;
  if (run.hosts.size() < 2) return names;
  const std::vector<std::optional<Ps>> offsets = Offsets(run);
  for (size_t h = 0; h < run.hosts.size(); ++h) {
    if (!offsets[h]) names.push_back(run.hosts[h].name);
  }
  return names;
}

}  // namespace gait::analyze

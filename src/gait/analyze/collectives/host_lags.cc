#include "gait/analyze/collectives/host_lags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gait/analyze/collectives/alignment.h"
#include "gait/analyze/time/durations.h"

namespace gait::analyze {
namespace {

using Ends = std::vector<Ps>;  // of one operation on one device, in order of execution

struct Fit {
  int64_t lag;
  Ps offset;
  Ps spread;
};

Ps Distance(Ps a, Ps b) { return a < b ? Difference(b, a) : Difference(a, b); }

std::vector<Fit> FitsOf(const Ends& first, const Ends& other) {
  constexpr int64_t kTried = 16;  // to either side
  const auto middle = std::ssize(first) / 2;
  const auto nearest = std::ranges::min_element(
      other, {}, [&](Ps end) { return Distance(end, first[static_cast<size_t>(middle)]); });
  const int64_t near = nearest - other.begin() - middle;
  const int64_t fewest = (std::min(std::ssize(first), std::ssize(other)) + 1) / 2;
  std::vector<Fit> fits;
  for (int64_t lag = near - kTried; lag <= near + kTried; ++lag) {
    const int64_t begin = std::max<int64_t>(0, -lag);
    const int64_t end = std::min(std::ssize(first), std::ssize(other) - lag);
    if (end - begin < fewest) continue;
    std::vector<Ps> differences;
    for (int64_t k = begin; k < end; ++k)
      differences.push_back(Difference(other[static_cast<size_t>(k + lag)], first[static_cast<size_t>(k)]));
    const Ps offset = Median(differences);
    for (Ps& difference : differences) difference = Distance(difference, offset);
    fits.push_back({lag, offset, Median(std::move(differences))});
  }
  return fits;
}

const Fit& Best(const std::vector<Fit>& fits) {
  const Ps least = std::ranges::min(fits, {}, &Fit::spread).spread;
  const Ps alike = Clamped(static_cast<Int128>(least.value()) + least.value() / 4 + Microseconds(1).value());
  const Fit* best = nullptr;
  for (const Fit& fit : fits) {
    if (fit.spread > alike) continue;
    if (best == nullptr || Distance(fit.offset, Ps()) < Distance(best->offset, Ps())) best = &fit;
  }
  return *best;
}

// What one operation says of one host.
struct OfOperation {
  uint32_t operation;
  std::vector<Fit> fits;
};

class Matcher {
 public:
  Matcher(const RunView& view, CollectiveExecutions& found) : found_(found), lags_(view.hosts.size()) {
    for (const DeviceExecution& e : found.executions) {
      if (found.by_run[e.operation]) continue;
      ends_[e.operation][e.device].push_back(e.time.end);
    }
  }

  void Run() {
    std::vector<std::vector<OfOperation>> by_host(lags_.size());
    for (const auto& [operation, on_devices] : ends_) {
      const size_t first = found_.devices[on_devices.begin()->first].host;
      for (size_t h = first + 1; h < lags_.size(); ++h) {
        if (const auto pair = Pair(operation, first, h))
          by_host[h].push_back({operation, FitsOf(*pair->first, *pair->second)});
      }
    }
    for (size_t h = 0; h < by_host.size(); ++h) SetLags(h, by_host[h]);
    Renumber();
  }

 private:
  // The ends on a device of the one host, and on one of the other that it meets.
  std::optional<std::pair<const Ends*, const Ends*>> Pair(uint32_t operation, size_t first,
                                                          size_t other) const {
    const std::vector<uint32_t>& group_of = found_.operations[operation].group_of;
    for (const auto& [a, ends_of_a] : ends_.at(operation)) {
      if (found_.devices[a].host != first) continue;
      for (const auto& [b, ends_of_b] : ends_.at(operation)) {
        if (found_.devices[b].host == other && group_of[a] == group_of[b])
          return std::pair(&ends_of_a, &ends_of_b);
      }
    }
    return std::nullopt;
  }

  void SetLags(size_t host, const std::vector<OfOperation>& operations) {
    const Fit* best = nullptr;
    for (const OfOperation& of : operations) {
      if (of.fits.empty() || !EndsTogether(found_.operations[of.operation].kind)) continue;
      const Fit& own = Best(of.fits);
      if (best == nullptr || own.spread < best->spread) best = &own;
    }
    if (best == nullptr) return;
    for (const OfOperation& of : operations) {
      if (of.fits.empty()) continue;
      lags_[host][of.operation] = std::ranges::min(of.fits, {}, [&](const Fit& fit) {
                                    return Distance(fit.offset, best->offset);
                                  }).lag;
    }
  }

  void Renumber() {
    std::map<uint32_t, int64_t> largest;  // by operation: numbers stay positive
    for (const auto& of_host : lags_) {
      for (const auto& [operation, lag] : of_host) largest[operation] = std::max(largest[operation], lag);
    }
    for (DeviceExecution& e : found_.executions) {
      const auto base = largest.find(e.operation);
      if (base == largest.end()) continue;
      const auto& of_host = lags_[found_.devices[e.device].host];
      const auto lag = of_host.find(e.operation);
      e.number = static_cast<uint32_t>(e.number + base->second - (lag == of_host.end() ? 0 : lag->second));
    }
  }

  CollectiveExecutions& found_;
  std::map<uint32_t, std::map<uint32_t, Ends>> ends_;  // by operation and device
  std::vector<std::map<uint32_t, int64_t>> lags_;      // by host and operation
};

}  // namespace

void MatchHosts(const RunView& view, CollectiveExecutions& found) {
  if (view.hosts.size() > 1) Matcher(view, found).Run();
}

}  // namespace gait::analyze

// When the host asked for a piece of device work.
//
// A GPU event and its launch share correlation_id; operations of a CPU and modules of a TPU share run_id with
// the host's Execute call, and a TPU operation belongs to the module that runs around it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "gait/analyze/devices.h"
#include "gait/trace/trace.h"

namespace gait::analyze {

// O(host events) to make; O(log launches) per event; thread-safe.
class Launches {
 public:
  explicit Launches(const Trace& trace);

  // Begin of the host's call; nullopt when the capture does not hold it.
  std::optional<Ps> Find(const Device& device, TrackId track, EventIndex event) const;

 private:
  using Calls = std::vector<std::pair<int64_t, Ps>>;  // id and begin, sorted
  static std::optional<Ps> Find(const Calls& calls, int64_t id);
  void PairInOrder(const Trace& trace, const std::vector<Ps>& calls);
  std::optional<int64_t> RunOfModule(const Device& device, Ps time) const;

  const Trace& trace_;
  StringId correlation_, run_;
  Calls by_correlation_;
  Calls by_run_;
  std::vector<TrackId> module_track_;  // by plane; invalid: none
};

}  // namespace gait::analyze

// Collectives of several hosts: the device that began each collective last. A critical path goes on there.
//
// collectives.h matches the executions and aligns the clocks of the hosts. A path does not cross to a host
// that no collective joins with the first host.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

class HostCrossings {
 public:
  explicit HostCrossings(const RunView& view);  // O(collectives log collectives), and that of their analysis

  // The shift of a host's times that aligns them with the first host's clock.
  Ps axis(size_t host) const { return axis_[host]; }

  struct Last {
    size_t host;
    size_t device;  // in the host's view
    Ps begin;       // on the host's own clock
  };
  // For the collective that begins at `begin` on a device, on the clock of its host: the device that began
  // the collective last, maybe the same one.
  std::optional<Last> Find(size_t host, size_t device, Ps begin) const;

 private:
  struct Entry {
    Ps begin;
    Last last;
  };
  std::vector<Ps> axis_;
  std::vector<std::vector<std::vector<Entry>>> entries_;  // by host and device, in order of begin
};

}  // namespace gait::analyze

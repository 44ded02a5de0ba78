// Collectives of several hosts: who began each last, which is where a path goes on.
//
// Executions that belong together, and the clocks of the hosts, are those of collectives.h. A host that no
// collective joins with the first is not crossed to.
#pragma once

#include <optional>
#include <vector>

#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

class HostCrossings {
 public:
  explicit HostCrossings(const RunView& view);  // O(collectives log collectives), and that of their analysis

  // What a host's times are moved by for clocks that are aligned with the first host's.
  Ps axis(size_t host) const { return axis_[host]; }

  struct Last {
    size_t host;
    size_t device;  // in the host's view
    Ps begin;       // on the host's own clock
  };
  // Of the collective that begins then on a device, on its host's clock: who began it last, be it itself.
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

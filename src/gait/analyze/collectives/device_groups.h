// Which devices of a run execute a collective together.
//
// Replica groups hold logical ids; the program's device assignment maps a logical id to a device id. A device
// id is an ordinal where the ordinals of all hosts differ (CPU, one host). Where the run holds all devices of
// the program, it is a position in the order of hosts and ordinals. Otherwise the device is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gait/analyze/collectives/collective_kind.h"
#include "gait/analyze/view/run_view.h"

namespace gait::analyze {

struct CollectiveGroups {
  int64_t size = 0;   // 0: unknown
  int64_t count = 0;  // 0: unknown
  bool members_known = false;
  std::vector<uint32_t> of;  // by device of the view; from `count` on: a group of its own
  std::string unknown_because;
};

class GroupFinder {
 public:
  explicit GroupFinder(const RunView& view);

  CollectiveGroups Find(const Program& program, const Instruction& instruction, CollectiveKind kind) const;
  // Groups in which each device is alone.
  CollectiveGroups Alone(std::string unknown_because) const;

 private:
  struct Member {
    int64_t ordinal;
    int32_t device;  // of the view; -1: not selected
  };
  // The device of the view by logical id, -1 where the device is not selected; nullopt: unknown.
  std::optional<std::vector<int32_t>> LogicalDevices(const Program& program) const;
  CollectiveGroups FromLists(const Program& program, const std::vector<std::vector<int64_t>>& lists,
                             int64_t size) const;

  size_t devices_ = 0;           // of the view
  std::vector<Member> members_;  // all devices of the run, in order of host and ordinal
  bool distinct_ = true;         // no ordinal comes twice
};

}  // namespace gait::analyze

// Which devices of a run execute a collective together.
//
// Replica groups count logical ids; the program's device assignment says which device id each is. Device ids
// are ordinals where the ordinals of all hosts differ (CPU, one host) and positions in the order of hosts and
// ordinals where the run holds all devices of the program; otherwise nobody knows.
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
  // All devices by themselves.
  CollectiveGroups Alone(std::string unknown_because) const;

 private:
  struct Member {
    int64_t ordinal;
    int32_t device;  // of the view; -1: not selected
  };
  // By logical id the device of the view, -1 where it is not selected; nullopt: unknown.
  std::optional<std::vector<int32_t>> LogicalDevices(const Program& program) const;
  CollectiveGroups FromLists(const Program& program, const std::vector<std::vector<int64_t>>& lists,
                             int64_t size) const;

  size_t devices_ = 0;           // of the view
  std::vector<Member> members_;  // all devices of the run, in order of host and ordinal
  bool distinct_ = true;         // no ordinal comes twice
};

}  // namespace gait::analyze

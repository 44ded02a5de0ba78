// Reads replica groups of collectives, from every encoding that XLA has used, into lists of ids.
//
// The compact encodings describe all groups by a reshape and transpose of 0, 1, 2, ... (iota lists) or by the
// axes of a device mesh. A few bytes may mean millions of ids, so the caller gives a budget of ids. Groups
// beyond the budget keep their size and lose their lists, which is counted as a loss.
#pragma once

#include <cstdint>
#include <string_view>

#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

struct GroupBudget {
  int64_t ids_left;
};

// Appends one ReplicaGroup message: the old encoding repeats these messages in the instruction.
void AppendReplicaGroup(std::string_view bytes, ReplicaGroups& groups, GroupBudget& budget,
                        WireLosses& losses);

// Reads a CollectiveDeviceListProto, IotaReplicaGroupListProto or MeshAxesReplicaGroupListProto.
ReplicaGroups ReadDeviceList(std::string_view bytes, GroupBudget& budget, WireLosses& losses);
ReplicaGroups ReadIotaList(std::string_view bytes, GroupBudget& budget, WireLosses& losses);
ReplicaGroups ReadMeshAxes(std::string_view bytes, GroupBudget& budget, WireLosses& losses);

}  // namespace gait::hlo

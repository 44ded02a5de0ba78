// Replica groups of collectives, from every encoding that XLA has used, written out as lists of ids.
//
// The compact encodings describe all groups by a reshape and transpose of 0, 1, 2, ... (iota lists) or by the
// axes of a device mesh; a few bytes of file may mean millions of ids, so the caller gives a budget of ids.
// What exceeds it keeps the group size and loses the lists, counted as a loss.
#pragma once

#include <cstdint>
#include <string_view>

#include "gait/read/hlo/wire.h"
#include "gait/trace/program.h"

namespace gait::hlo {

struct GroupBudget {
  int64_t ids_left;
};

// One ReplicaGroup message, appended: the old encoding repeats them in the instruction.
void AppendReplicaGroup(std::string_view bytes, ReplicaGroups& groups, GroupBudget& budget,
                        WireLosses& losses);

// CollectiveDeviceListProto, IotaReplicaGroupListProto and MeshAxesReplicaGroupListProto.
ReplicaGroups ReadDeviceList(std::string_view bytes, GroupBudget& budget, WireLosses& losses);
ReplicaGroups ReadIotaList(std::string_view bytes, GroupBudget& budget, WireLosses& losses);
ReplicaGroups ReadMeshAxes(std::string_view bytes, GroupBudget& budget, WireLosses& losses);

}  // namespace gait::hlo

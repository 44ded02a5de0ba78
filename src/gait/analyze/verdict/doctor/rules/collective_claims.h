// The time of collectives that nothing hides, shared by the rules about them.
//
//   waiting    of a collective: of its self time the share that devices waited (collectives.h) in all of its
//              exposed time
//   exchange   its self time less the waiting
//
// In the ledger a collective is its exchange, then its waiting: rules that claim one do not overlap with
// those that claim the other.
#pragma once

#include <vector>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

bool IsCollective(Category category);

// An operation that communicates; its self time is what nothing hides.
struct CollectiveTime {
  size_t operation = 0;  // into Patient::operations()
  Ps exchange{};
  Ps waiting{};
  bool known = false;  // false: the capture does not tell who waited for whom, and all of it is exchange
  std::vector<const CollectiveStats*> stats{};  // of the collective that it begins or ends
};
std::vector<CollectiveTime> CollectiveTimes(const Patient& patient);

// The waiting of all collectives, and idle time for peers.
Claims ClaimWaiting(const Patient& patient);

}  // namespace gait::analyze

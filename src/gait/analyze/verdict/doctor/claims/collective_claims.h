// The time of collectives that nothing hides, shared by the rules about them.
//
//   waiting    of a collective: its self time × the waiting of its devices (collectives.h) / its exposed time
//   exchange   its self time less the waiting
//
// In the ledger the exchange of a collective comes first, then its waiting: rules that claim the one do not
// overlap with rules that claim the other.
#pragma once

#include <vector>

#include "gait/analyze/verdict/doctor/patient.h"

namespace gait::analyze {

bool IsCollective(Category category);

// An operation that communicates. Its self time is the time that nothing hides.
struct CollectiveTime {
  size_t operation = 0;  // into Patient::operations()
  Ps exchange{};
  Ps waiting{};
  bool known = false;  // false: the capture does not tell who waited for whom, and all of it is exchange
  std::vector<const CollectiveStats*> stats{};  // of the collective that it begins or ends
};
std::vector<CollectiveTime> CollectiveTimes(const Patient& patient);

// Claims the waiting of all collectives, and the idle time whose cause is a peer.
Claims ClaimWaiting(const Patient& patient);

}  // namespace gait::analyze
